import { describe, expect, it } from 'vitest';
import { later } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import type { SourceDeal, SourceObjection } from '../../src/modules/crm/providers/rows.ts';
import { storeFound } from '../../src/modules/crm/sync.ts';
import { endTraining } from '../../src/modules/trainings/service.ts';
import { anAssignment, aCase, aTraining } from '../support/practice.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { allListed } from '../support/pages.ts';

const service = await useTestService({ own: true });

const { prisma } = service.database;

/** For each list: how a row of the team is made and changed, and its table. */
const lists = {
  '/users': {
    make: async (team: TestTeam) => (await team.anActiveMember()).id,
    change: (team: TestTeam, id: string) => team.client.patch(`/users/${id}`, { role: 'admin' }),
    table: 'member',
  },
  '/trainings': {
    make: (team: TestTeam) => aTraining(service, team, { userId: team.owner.user_id }),
    change: async (team: TestTeam, id: string) => endTraining(await team.acting(), id),
    table: 'training',
  },
  '/assignments': {
    make: (team: TestTeam) => anAssignment(service, team, { memberId: team.owner.member_id }),
    change: (team: TestTeam, id: string) => team.client.patch(`/assignments/${id}`, { note: 'Changed' }),
    table: 'assignment',
  },
  '/cases': {
    make: (team: TestTeam) => aCase(service, team, { userId: team.owner.user_id }),
    change: (team: TestTeam, id: string) => team.client.patch(`/cases/${id}`, { title: 'Changed' }),
    table: 'case',
  },
  '/crm/deals': {
    make: async (team: TestTeam) => (await aSyncedDeal(team)).id,
    change: (team: TestTeam, id: string) => syncAgain(team, id, {}),
    table: 'crm_deal',
  },
  '/crm/objections': {
    make: async (team: TestTeam) => anObjection(service, team, (await aSyncedDeal(team)).id),
    change: (team: TestTeam, id: string) => syncAgain(team, id, { text: `Changed ${makeId()}` }),
    table: 'crm_objection',
  },
};

/** A deal of a connection of its own: lists read each connection. */
const aSyncedDeal = async (team: TestTeam) => {
  const connectionId = await aCrmConnection(service, team, { provider: 'feed' });
  return { id: await aDeal(service, team, connectionId), connectionId };
};

/** A sync finds the deal, or the objection with this text in its deal, again. */
const syncAgain = async (team: TestTeam, id: string, { text }: { text?: string }) => {
  const deals: SourceDeal[] = [];
  const objections: SourceObjection[] = [];
  const objection =
    text === undefined ? null : await prisma.crmObjection.findFirst({ where: { tenantId: team.id, id } });
  const deal = await prisma.crmDeal.findFirstOrThrow({ where: { tenantId: team.id, id: objection?.dealId ?? id } });
  if (objection && text !== undefined) {
    objections.push({ id: objection.externalId, dealId: deal.externalId, category: 'price', text, lang: 'de' });
  } else deals.push({ id: deal.externalId, outcome: 'won' });
  return storeFound(await team.acting(), deal.connectionId, { deals, objections });
};

/** Five rows, and the time after them. The clock goes on between any two changes. */
const fiveIn = async (team: TestTeam, make: (team: TestTeam) => Promise<string>) => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    service.clock.forward(1000);
    ids.push(await make(team));
  }
  service.clock.forward(1000);
  return { ids, end: service.clock.now() };
};

const idsOf = (rows: readonly Record<string, unknown>[]) => rows.map((row) => row['id']);
const since = (time: Date, more = '') => `?updated_since=${encodeURIComponent(time.toISOString())}${more}`;
const epoch = new Date('2000-01-01T00:00:00Z');

describe.each(Object.entries(lists))('GET %s?updated_since', (path, { make, change, table }) => {
  it('has the rows that changed at that time or later, the earliest change first, and nothing of other teams', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    await make(other);
    const { ids, end } = await fiveIn(team, make);
    expect((await team.client.get(`${path}${since(end)}`)).body).toEqual({ data: [], next_cursor: null });

    service.clock.forward(1000);
    for (const id of [ids[3], ids[1]]) {
      await change(team, id ?? '');
      service.clock.forward(1000);
    }
    const { data } = await team.client.get(`${path}${since(end)}`);
    expect(idsOf(data)).toEqual([ids[3], ids[1]]);
    const [first] = data;
    const at = new Date(String(first?.['updated_at']));
    expect(idsOf((await team.client.get(`${path}${since(at)}`)).data)).toEqual([ids[3], ids[1]]);
    expect(idsOf((await team.client.get(`${path}${since(later(at, 1))}`)).data)).toEqual([ids[1]]);
    const whole = idsOf((await team.client.get(`${path}${since(epoch)}`)).data);
    expect(whole.slice(-5)).toEqual([ids[0], ids[2], ids[4], ids[3], ids[1]]);
  });

  it('has a row that changes while pages are read again later, and skips none', async () => {
    const team = await aTeam(service);
    const { ids } = await fiveIn(team, make);
    let pages = 0;
    const rows = await allListed(team.client, `${path}${since(epoch, '&limit=2')}`, async () => {
      pages += 1;
      if (pages === 1) await change(team, ids[0] ?? '');
    });
    const seen = idsOf(rows);
    expect(seen.filter((id) => id === ids[0]).length).toBeGreaterThan(0);
    expect(seen.at(-1)).toBe(ids[0]);
    expect(new Set(seen)).toEqual(new Set([...ids, ...(path === '/users' ? [team.owner.member_id] : [])]));
  });

  it('has each of many rows that changed at the same moment once, over all pages, in the order of their ids', async () => {
    const team = await aTeam(service);
    const { ids, end } = await fiveIn(team, make);
    await prisma.$executeRawUnsafe(`update "${table}" set updated_at = $1 where tenant_id = $2::uuid`, end, team.id);
    const seen = idsOf(await allListed(team.client, `${path}${since(end, '&limit=2')}`));
    expect(seen).toEqual([...ids, ...(path === '/users' ? [team.owner.member_id] : [])].toSorted());
  });

  it('422: a cursor of the other order or of another time, and no time', async () => {
    const team = await aTeam(service);
    const { end } = await fiveIn(team, make);
    const cursorOf = async (query: string) => String((await team.client.get(`${path}${query}`)).body['next_cursor']);
    const [usual, changes] = [await cursorOf('?limit=1'), await cursorOf(since(epoch, '&limit=1'))];
    for (const wrong of [`?cursor=${changes}`, since(epoch, `&cursor=${usual}`), since(end, `&cursor=${changes}`)]) {
      expect(await team.client.get(`${path}${wrong}`)).toBeProblem('validation_error', { field: 'cursor' });
    }
    expect((await team.client.get(`${path}?updated_since=yesterday`)).status).toBe(422);
    expect((await team.client.get(`${path}${since(epoch, `&limit=1&cursor=${changes}`)}`)).status).toBe(200);
  });
});

it('a row that was committed after a read had passed its place is found only with the five minutes’ overlap of the pages', async () => {
  const team = await aTeam(service);
  const id = await aCase(service, team, { userId: team.owner.user_id });
  service.clock.forward(1000);
  const began = await service.database.transaction(async (tx) => {
    const updatedAt = service.clock.now();
    await tx.case.update({ where: { tenantId_id: { tenantId: team.id, id } }, data: { title: 'Late', updatedAt } });
    service.clock.forward(1000);
    const { data } = await team.client.get(`/cases${since(epoch)}`);
    expect(data).toMatchObject([{ id, title: null }]);
    return service.clock.now();
  });
  expect((await team.client.get(`/cases${since(began)}`)).data).toEqual([]);
  const { data } = await team.client.get(`/cases${since(later(began, -5 * 60_000))}`);
  expect(data).toMatchObject([{ id, title: 'Late' }]);
  for (const language of ['de', 'en']) {
    const page = await (await fetch(`${service.origin}/developers/${language}/pagination.md`)).text();
    expect(page).toMatch(/ohne `cursor`, fünf Minuten|\(a read without a `cursor`\) five minutes before/);
  }
});

it('GET /trainings combines it with its other filters', async () => {
  const team = await aTeam(service, { members: 1 });
  const user_id = team.members[0]?.user_id ?? '';
  const assignment_id = await anAssignment(service, team, { memberId: team.members[0]?.id ?? '' });
  const before = await aTraining(service, team, { userId: user_id, assignmentId: assignment_id });
  service.clock.forward(1000);
  const start = service.clock.now();
  const changed = await aTraining(service, team, { userId: user_id, assignmentId: assignment_id });
  await aTraining(service, team, { userId: team.owner.user_id });
  await endTraining(await team.acting(), changed);
  const found = async (more: string) => idsOf((await team.client.get(`/trainings${since(start, more)}`)).data);
  const filters = `&user_id=${user_id}&assignment_id=${assignment_id}`;
  expect(await found(`${filters}&status=ended`)).toEqual([changed]);
  expect(await found(`${filters}&status=running`)).toEqual([]);
  expect(await found(`&status=running`)).toHaveLength(1);
  expect(await found(`${filters}&since=2999-01-01T00:00:00Z`)).toEqual([]);
  expect(await found('&user_id=unknown')).toEqual([]);
  expect(before).not.toBe(changed);
});

it('GET /cases?updated_since has no private case, until it is shared', async () => {
  const team = await aTeam(service);
  const id = await aCase(service, team, { userId: team.owner.user_id, private: true });
  const shown = async () => idsOf((await team.client.get(`/cases${since(epoch)}`)).data);
  expect(await shown()).toEqual([]);
  await prisma.case.updateMany({ where: { tenantId: team.id, id }, data: { private: false } });
  expect(await shown()).toEqual([id]);
});
