import fc from 'fast-check';
import { newId } from '../../src/core/ids.ts';
import { anEmail } from '../support/team.ts';
import type { KnownValues } from './valid-values.ts';
import type { World } from './world.ts';

/** What looks like an id, or not even that. */
const garbage = fc.constantFrom(
  'x',
  '..',
  '.',
  '%2e',
  '00000000-0000-0000-0000-000000000000',
  "'; drop table member; --",
  'ü/ß',
  '❤️',
  ' ',
);

/** Ids of the team's own, of another team's, of nobody's, and what is none. */
const idsOf = (own: readonly string[], foreign: readonly string[]) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...own) },
    { weight: 1, arbitrary: fc.constantFrom(...foreign) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.uuid(),
        fc.constant(newId()),
        fc.constantFrom(...own).map((id) => id.toUpperCase()),
      ),
    },
    { weight: 1, arbitrary: garbage },
  );

/** What a stranger with the team's data at hand would fill in. */
export const knownValues = (world: World, others: World): KnownValues => {
  const ids = Object.entries(world.ids).map(([name, own]): [string, fc.Arbitrary<unknown>] => [
    name,
    idsOf(
      own,
      (others.ids[name] ?? []).filter((id) => !others.shared.has(id)),
    ),
  ]);
  return new Map([
    ...ids,
    [
      'email',
      fc.oneof(
        fc.nat(10_000).map(() => anEmail()),
        fc.constantFrom(...world.emails),
      ),
    ],
    // Small ones: a list that fits on one page tests no paging.
    ['limit', fc.integer({ min: 1, max: 4 })],
    // Most don't wait: nothing is raised meanwhile.
    ['wait', fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1)],
    [
      'url',
      fc.oneof(
        { weight: 6, arbitrary: fc.nat(10_000).map((at) => `https://hooks.example.com/${at}`) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('https://example.com', 'https://EXAMPLE.com:443/?q#f', 'http://example.com/'),
        },
        { weight: 1, arbitrary: fc.constantFrom('https://127.0.0.1/', 'https://[::1]/', 'https://a:b@example.com/') },
      ),
    ],
    ['role', fc.constantFrom('member', 'admin')],
  ]);
};
