import { describe, expect, it } from 'vitest';
import { later, secondsToMs } from '../../src/core/clock.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import type { Answer } from '../support/client.ts';
import { aCrmConnection, aDeal, anObjection } from '../support/crm.ts';
import { expectDescribed } from '../support/document.ts';
import { allListed } from '../support/pages.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const described = (path: string, answer: Answer): Answer => {
  expect(answer.status, answer.text).toBe(200);
  const operation = operationsOf(publicRouter).find(({ operation: { route } }) => route === `GET ${path}`);
  expectDescribed(operation ?? expect.fail(`there is no ${path}`), answer);
  return answer;
};

const read = async ({ client }: TestTeam, path: string, query = '') =>
  described(path, await client.get(`${path}${query}`));

/** The ids of a whole list, page by page. */
const readAll = async ({ client }: TestTeam, path: string, limit = 50) =>
  (await allListed(client, `${path}?limit=${limit}`, (page) => described(path, page))).map(({ id }) => id);

const deals = '/crm/deals';
const objections = '/crm/objections';
const moment = new Date('2026-11-20T08:30:00.123Z');

describe('GET /crm/deals and /crm/objections', () => {
  it('are empty without a connection', async () => {
    const team = await aTeam(service);
    for (const path of [deals, objections]) {
      expect((await read(team, path)).body).toEqual({ data: [], next_cursor: null });
    }
  });

  it('show null for values that the CRM does not have', async () => {
    const team = await aTeam(service);
    const id = await aDeal(service, team, await aCrmConnection(service, team), { externalId: 'x' });
    const unknown = {
      title: null,
      amount: null,
      currency: null,
      close_date: null,
      probability: null,
      pipeline_id: null,
      stage_id: null,
      industry_id: null,
      lost_reason: null,
      owner_user_id: null,
      last_activity_at: null,
      synced_at: null,
      updated_at: expect.stringMatching(/Z$/),
    };
    expect((await read(team, deals)).data).toEqual([{ id, external_id: 'x', outcome: 'open', ...unknown }]);
  });

  it('are newest first over all active connections, each once for any size of a page', async () => {
    const team = await aTeam(service);
    const [one, two, off] = [
      await aCrmConnection(service, team),
      await aCrmConnection(service, team),
      await aCrmConnection(service, team, { active: false }),
    ];
    const made: { at: number; deal: string; objection: string }[] = [];
    // Three rows share each time, so that the id decides their order across connections; and they are not created in
    // the order of the list.
    for (const [index, step] of [5, 2, 8, 0, 6, 3, 7, 1, 4].entries()) {
      const createdAt = later(moment, Math.floor(step / 3) * secondsToMs(1));
      const deal = await aDeal(service, team, index % 2 === 0 ? one : two, { createdAt });
      const objection = await anObjection(service, team, deal, { createdAt });
      made.push({ at: createdAt.getTime(), deal, objection });
      await anObjection(service, team, await aDeal(service, team, off, { createdAt }), { createdAt });
    }
    const newest = (kind: 'deal' | 'objection') =>
      made.toSorted((a, b) => b.at - a.at || (a[kind] < b[kind] ? 1 : -1)).map((entry) => entry[kind]);
    for (const limit of [1, 2, 3, 4, 9, 50]) {
      expect(await readAll(team, deals, limit)).toEqual(newest('deal'));
      expect(await readAll(team, objections, limit)).toEqual(newest('objection'));
    }
  });

  it('show a connection’s data only while it is active', async () => {
    const team = await aTeam(service);
    const connection = await aCrmConnection(service, team);
    const deal = await aDeal(service, team, connection);
    const objection = await anObjection(service, team, deal);
    const setActive = (active: boolean) =>
      service.database.prisma.crmConnection.update({
        where: { tenantId_id: { tenantId: team.id, id: connection } },
        data: { active },
      });
    const seen = async () => [await readAll(team, deals), await readAll(team, objections)];
    expect(await seen()).toEqual([[deal], [objection]]);
    await setActive(false);
    expect(await seen()).toEqual([[], []]);
    await setActive(true);
    expect(await seen()).toEqual([[deal], [objection]]);
  });

  it('leave out the deal’s owner while member details are off', async () => {
    const team = await aTeam(service);
    const id = await aDeal(service, team, await aCrmConnection(service, team), { ownerUserId: team.owner.user_id });
    await team.change({ memberDetail: false });
    const answer = await read(team, deals);
    expect(answer.data).toEqual([expect.objectContaining({ id })]);
    expect(answer.text).not.toContain('owner_user_id');
    expect(answer.text).not.toContain(team.owner.user_id);
  });

  it('still name the deal’s owner after that membership has ended', async () => {
    const team = await aTeam(service, { members: 1 });
    const [member] = team.members;
    await aDeal(service, team, await aCrmConnection(service, team), { ownerUserId: member?.user_id ?? null });
    await team.client.delete(`/users/${member?.id ?? ''}`);
    expect((await read(team, deals)).data).toEqual([expect.objectContaining({ owner_user_id: member?.user_id })]);
  });

  it('refuse each other’s cursors', async () => {
    const team = await aTeam(service);
    const connection = await aCrmConnection(service, team);
    for (let count = 0; count < 2; count += 1) {
      await anObjection(service, team, await aDeal(service, team, connection));
    }
    for (const [path, other] of [
      [deals, objections],
      [objections, deals],
    ] as const) {
      const next = String((await read(team, other, '?limit=1')).body['next_cursor']);
      expect(await team.client.get(`${path}?cursor=${next}`)).toBeProblem('validation_error', { field: 'cursor' });
    }
  });
});
