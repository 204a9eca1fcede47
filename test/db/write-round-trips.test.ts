import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { definedQueries } from '../../src/db/query.ts';
import { RoundTrip, type Statement } from '../../src/db/round-trip.ts';
import { aPlace } from '../changes/writes.ts';
import { routes } from '../contract/rows/routes.ts';
import { useCompanies } from '../support/company.ts';
import { anEndpoint } from '../support/webhooks.ts';

// What a write costs is mainly its round trips to the database. So the row of every route that writes has the statements
// of each of them.

const companies = await useCompanies();
const { service } = companies;

/** A statement in short: `keys.gate`, `lock case`, `update case`. */
const nameOf = ({ name, text }: Statement): string => {
  const named = definedQueries().find(({ statement }) => name?.startsWith(statement))?.name;
  if (named !== undefined) return named.replace(/^db\.lockRow (\w+).*/, 'lock $1');
  const [, verb = '', table = ''] =
    /^(SELECT|INSERT|UPDATE|DELETE)(?:.*? FROM| INTO)?? "public"\."(\w+)"/.exec(text) ?? [];
  return verb === '' ? text.toLowerCase() : `${verb.toLowerCase()} ${table}`;
};

/** Role and team are set in each round trip that begins something. */
const setsNoTeam = ({ text }: Statement): boolean => !text.includes("set_config('role'");

/** What runs beside requests, or after them for several: the team's log, uses of keys, storage, the relay. */
const beside = /^(requests\.|keys\.(use|note|days)|webhooks\.addJobs|insert team_usage|update api_key)/;

/** The round trips that an action makes. */
const tripsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await action();
    const seen: unknown[] = sent.mock.calls.map(([given]) => given);
    return seen
      .flatMap((one) => (one instanceof RoundTrip ? [one.statements.filter(setsNoTeam).map(nameOf).join(' + ')] : []))
      .filter((trip) => !beside.test(trip));
  } finally {
    sent.mockRestore();
  }
};

const writes = Object.entries(routes).flatMap(([route, { write, trips }]) =>
  write ? [[route, { write, trips }] as const] : [],
);

// Again, because something else of the process may run at the same moment.
it.each(writes)('the round trips of %s', { retry: 3 }, async (route, { write, trips }) => {
  const place = await aPlace(companies);
  await anEndpoint(service, place.team, {}); // it gets events, so that they have deliveries
  // The first write of a team looks at its quota.
  await place.api('POST', '/cases', { user_id: place.team.owner.user_id, title: 'Renewal' });
  const { call, plain = call } = await write(place, route);
  expect(await tripsOf(plain)).toEqual(trips);
});
