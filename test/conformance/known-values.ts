import fc from 'fast-check';
import { makeId } from '../../src/core/ids.ts';
import { anEmail } from '../support/team.ts';
import type { World } from '../support/world.ts';
import type { KnownValues } from './valid-values.ts';

/** Texts that look like an id, or not even that. */
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

/** Ids of the team, ids of another team, unknown ids, and texts that are no ids. */
const idsOf = (own: readonly string[], foreign: readonly string[]) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...own) },
    { weight: 1, arbitrary: fc.constantFrom(...foreign) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.uuid(),
        fc.constant(makeId()),
        fc.constantFrom(...own).map((id) => id.toUpperCase()),
      ),
    },
    { weight: 1, arbitrary: garbage },
  );

/** Values for a client that has access to the team's data. */
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
    // Small values, because a list on one page would not test paging.
    ['limit', fc.integer({ min: 1, max: 4 })],
    // Mostly before all changes, because a list without rows would not test paging either.
    ['updated_since', fc.constantFrom('2000-01-01T00:00:00Z', '2025-12-31T23:59:59.5+01:00', '2999-01-01T00:00:00Z')],
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
