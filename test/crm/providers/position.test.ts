import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hubSpotPositions } from '../../../src/modules/crm/providers/hubspot.ts';
import { pipedrivePositions } from '../../../src/modules/crm/providers/pipedrive.ts';
import { SyncFailure } from '../../../src/modules/crm/providers/failure.ts';
import { anyCharacter } from '../../support/any-character.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const recordId = fc.bigInt({ min: 0n, max: 10n ** 19n - 1n }).map(String);

const ofHubSpot = fc.oneof(
  fc.record({ part: fc.constantFrom('all' as const, 'archived' as const), after: text }, { requiredKeys: ['part'] }),
  fc.record({ part: fc.constantFrom('changed' as const, 'notes' as const), afterId: recordId }),
);
const ofPipedrive = fc.oneof(
  fc.record(
    { part: fc.constantFrom('deals' as const, 'archived' as const, 'deleted' as const), cursor: text },
    { requiredKeys: ['part'] },
  ),
  fc.record({ part: fc.constant('notes' as const), start: fc.nat() }),
);

describe('a position between two pages', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(ofHubSpot, (position) => {
        expect(hubSpotPositions.read(hubSpotPositions.write(position))).toEqual(position);
      }),
    );
    fc.assert(
      fc.property(ofPipedrive, (position) => {
        expect(pipedrivePositions.read(pipedrivePositions.write(position))).toEqual(position);
      }),
    );
  });

  it('fails with a reason if it is any other text', () => {
    const anyText = fc.oneof(fc.string({ unit: anyCharacter }), fc.json());
    fc.assert(
      fc.property(anyText, (found) => {
        expect(() => hubSpotPositions.read(found)).toThrow(SyncFailure);
      }),
    );
  });
});
