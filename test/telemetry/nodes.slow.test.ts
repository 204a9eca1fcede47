import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { requestRole } from '../../src/db/row-security.ts';
import { makeClient } from '../support/client.ts';
import { withSql } from '../support/postgres.ts';
import { startObserved } from '../support/production-service.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { aDatabaseWithCells, shardOf, takeAway } from '../db/hand-made-cells.ts';
import { scrape } from './scrape.ts';

const cells = await aDatabaseWithCells();
const service = await useTestService({ databaseUrl: cells.url });
afterAll(cells.drop);
// A process refuses to start otherwise: here what Citus knows is in tables that no migration made.
await withSql(service, (client) => client.query(`grant select on all tables in schema public to ${requestRole}`));

const aTeamIn = async (shard: string): Promise<TestTeam> => {
  for (;;) {
    const team = await aTeam(service);
    if (shardOf(team) === shard) return team;
  }
};
const nodes = [cells.coordinator, cells.nodes[1], cells.nodes[2]].map(({ port }) => `127.0.0.1:${port}`);
const [coordinator = '', first = '', second = ''] = nodes;

const cellsOf = (node: string, state: string) => `team_api_cells{node="${node}",state="${state}"}`;
const ageOf = (node: string) => `team_api_places_age_seconds{node="${node}"}`;
const unavailableOf = (node: string) => `team_api_node_unavailable_answers_total{node="${node}"}`;
const connectionsOf = (node: string, state: string) => `team_api_database_connections{state="${state}",node="${node}"}`;

const anApi = async () => {
  const { baseUrl, metricsPort } = await startObserved(cells.url, 'api', { METRICS_PORT: '0' });
  return { baseUrl, read: async (series: string) => (await scrape(metricsPort)).value(series) };
};

describe('the metrics of a distributed database', () => {
  it('show the open and closed cells of each node', async () => {
    const { read } = await anApi();
    expect([await read(cellsOf(first, 'open')), await read(cellsOf(first, 'closed'))]).toEqual([1, 0]);
    await cells.closeCell('1');
    await expect.poll(() => read(cellsOf(first, 'closed'))).toBe(1);
    expect([await read(cellsOf(first, 'open')), await read(cellsOf(second, 'open'))]).toEqual([0, 1]);
    await cells.openCell('1');
    await expect.poll(() => read(cellsOf(first, 'open'))).toBe(1);
  });

  it('show the age of the oldest prepared transaction', async () => {
    const { read } = await anApi();
    // All nodes are one server here.
    const ages = async () =>
      Promise.all(nodes.map((node) => read(`team_api_prepared_transaction_age_seconds{node="${node}"}`)));
    expect(await ages()).toEqual([0, 0, 0]);
    await withSql(service, (client) =>
      client.query(`begin; create table left_over (); prepare transaction 'left over'`),
    );
    onTestFinished(() =>
      withSql(service, async (client) => void (await client.query(`rollback prepared 'left over'`))),
    );
    await expect.poll(async () => Math.min(...(await ages()).map((age) => age ?? 0))).toBeGreaterThan(1);
    expect(Math.max(...(await ages()).map((age) => age ?? 0))).toBeLessThan(600);
  });

  it('show the connections to each node', async () => {
    const { baseUrl, read } = await anApi();
    const teams = [await aTeamIn('1'), await aTeamIn('2')];
    for (const { client } of teams) await makeClient(baseUrl, client.key).get('/cases');
    const idle = async () => Promise.all(nodes.map((node) => read(connectionsOf(node, 'idle'))));
    expect(await idle()).toEqual([expect.any(Number), 1, 1]);
    expect(await read(connectionsOf(first, 'waiting'))).toBe(0);
  });

  it('show which node is away: since when nothing was read from it, and how many answers of its teams were 503', async () => {
    const { baseUrl, read } = await anApi();
    const [one, other] = [await aTeamIn('1'), await aTeamIn('2')];
    const ask = async ({ client }: TestTeam) => (await makeClient(baseUrl, client.key).get('/cases')).status;
    expect([await ask(one), await ask(other)]).toEqual([200, 200]);
    expect([await read(unavailableOf(first)), await read(unavailableOf(second))]).toEqual([0, 0]);
    const restore = takeAway(cells.nodes[1]);
    expect([await ask(one), await ask(other)]).toEqual([503, 200]);
    await expect.poll(() => read(unavailableOf(first))).toBe(1);
    expect([await read(unavailableOf(second)), await read(unavailableOf(coordinator))]).toEqual([0, 0]);
    // It is read every two seconds, so it is older than the other one by more than that.
    await expect
      .poll(async () => ((await read(ageOf(first))) ?? 0) - ((await read(ageOf(second))) ?? 0))
      .toBeGreaterThan(2.5);
    await restore();
    await expect.poll(() => read(ageOf(first))).toBeLessThan(2.5);
  });
});
