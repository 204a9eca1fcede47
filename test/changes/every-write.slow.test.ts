import type { AnyRouter } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { entranceRouter } from '../../src/modules/sign-ins/app.ts';
import { operationsOf, proceduresOf } from '../../src/platform/trpc/procedures.ts';
import { appProcedures } from '../contract/rows/app.ts';
import { entranceProcedures } from '../contract/rows/entrance.ts';
import { routes } from '../contract/rows/routes.ts';
import { anAssignment, aCase, aScoredTraining } from '../support/practice.ts';
import { useCompanies } from '../support/company.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { alteredIn, deletedSince, missingIn, shownRows, updatedSince } from './shown-rows.ts';
import { aPlace, type Effect, type Place, type Prepare } from './writes.ts';

// Programs keep copies of the lists by `updated_at` and deletions. So every write must give a new time to exactly the
// rows that it changes, and a deletion to exactly those that it deletes. The row of each write in test/contract/rows says
// which these are.

const companies = await useCompanies();
const { service } = companies;

const writing = (router: AnyRouter): string[] =>
  proceduresOf(router).flatMap(([path, { _def }]) => (_def.type === 'query' ? [] : [path]));

it.each([
  [
    'route',
    routes,
    operationsOf(publicRouter).flatMap(({ openapi, operation }): string[] =>
      openapi.method === 'GET' ? [] : [operation.route],
    ),
  ],
  ['procedure of the app', appProcedures, writing(appRouter)],
  ['procedure of the entrance', entranceProcedures, writing(entranceRouter)],
])('the row of every %s that writes has the write', (_kind, rows, all) => {
  const written = Object.entries(rows).flatMap(([name, { write }]) => (write ? [name] : []));
  expect(written.toSorted()).toEqual(all.toSorted());
});

/** A write, with its name as it is called. Some have a second case with its own words. */
interface Case {
  readonly name: string;
  readonly prepare: Prepare;
}

const casesOf = (
  rows: Readonly<Record<string, { write?: Prepare; alsoWrites?: Readonly<Record<string, Prepare>> }>>,
  mount = '',
): [title: string, Case][] =>
  Object.entries(rows).flatMap(([title, { write, alsoWrites = {} }]) => {
    const name = `${mount}${title}`;
    const others = Object.entries(alsoWrites).map(([words, prepare]): [string, Case] => [
      `${title} ${words}`,
      { name, prepare },
    ]);
    return write ? [[title, { name, prepare: write }], ...others] : others;
  });

const all = [...casesOf(routes), ...casesOf(appProcedures, 'app/'), ...casesOf(entranceProcedures, 'entrance/')];

const addRowToEachList = async (team: TestTeam): Promise<void> => {
  await anAssignment(service, team, { memberId: team.owner.member_id });
  await aScoredTraining(service, team, { userId: team.owner.user_id });
  await aCase(service, team, { userId: team.owner.user_id });
  await anObjection(service, team, await aDeal(service, team, await aCrmConnection(service, team)));
};

/** A team that none of the writes is about. */
const other = await aTeam(service, { members: 1 });
await addRowToEachList(other);
const otherRows = await shownRows(other.client);
service.clock.forward(1000);
const beginning = service.clock.now();

/** Runs a write with the setting of member details. The lists are read with the setting on. */
const effectOf = async (place: Place, { name, prepare }: Case, { memberDetail }: { memberDetail: boolean }) => {
  const { team } = place;
  const write = await prepare(place, name);

  let shown = await shownRows(team.client);
  const changesOf = async (action: () => Promise<unknown>) => {
    const before = shown;
    service.clock.forward(1000);
    const start = service.clock.now();
    if (!memberDetail) await team.change({ memberDetail });
    await action();
    await team.change({ memberDetail: true });
    shown = await shownRows(team.client);
    return {
      updated: await updatedSince(team.client, start),
      deleted: await deletedSince(team.client, start),
      altered: alteredIn(shown, before),
      missing: missingIn(shown, before),
      before,
    };
  };

  let expected: Effect = {};
  const found = await changesOf(async () => {
    expected = await write.call();
  });
  // Whether a second one changes nothing does not depend on the setting.
  const again = memberDetail ? write.again : undefined;
  return { found, expected, second: again && (await changesOf(again)) };
};

describe.each([true, false])('with member details %s', (memberDetail) => {
  it.each(all.filter(([, { prepare }]) => !prepare.quiet))(
    '%s gives a new time to exactly the rows that it changes, and a deletion to those that it deletes',
    async (_title, write) => {
      const { found, expected, second } = await effectOf(await aPlace(companies), write, { memberDetail });
      const { changed = [], gone = [], hidden = [] } = expected;
      expect(found.altered).toEqual(changed.toSorted());
      expect(found.updated).toEqual(changed.toSorted());
      expect(found.deleted).toEqual(gone.toSorted());
      expect(found.missing).toEqual([...gone, ...hidden].filter((name) => found.before.has(name)).toSorted());
      if (second) expect(second).toMatchObject({ updated: [], deleted: [], altered: [], missing: [] });
    },
  );
});

/** The writes that change none of these rows share a team, except those that change how its owner signs in. */
const common = await aPlace(companies);
await addRowToEachList(common.team);

/** With a key of its own: there are more calls than one key may make in a minute. */
const inCommonTeam = async (): Promise<Place> => ({
  ...common,
  team: { ...common.team, client: await common.team.aClient() },
});

it.each(all.filter(([, { prepare }]) => prepare.quiet))(
  '%s gives no row a new time, and changes and deletes none',
  async (title, write) => {
    const place = Object.hasOwn(entranceProcedures, title) ? await aPlace(companies) : await inCommonTeam();
    const { found } = await effectOf(place, write, { memberDetail: true });
    expect(found).toMatchObject({ altered: [], updated: [], deleted: [], missing: [] });
  },
);

it('none of these writes changes or deletes a row of another team', async () => {
  expect(await updatedSince(other.client, beginning)).toEqual([]);
  expect(await deletedSince(other.client, beginning)).toEqual([]);
  expect(await shownRows(other.client)).toEqual(otherRows);
});
