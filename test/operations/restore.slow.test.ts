import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeApi } from '../../src/run/api.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { readConfig } from '../../src/config.ts';
import { basePath } from '../../src/core/product.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { prepareDemo, type DemoDocument } from '../../src/cli/demo/prepare.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { makeClient, type Client } from '../support/client.ts';
import { calledOperations } from '../support/operations.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';
import { silentLog } from '../support/worker.ts';

const config = readConfig({ PORT: '0', ANON_RATE_PER_MIN: '100000', PUBLIC_URL: 'http://localhost:3000' });
const now = new Date();
const frozen = { now: () => now };

/** The service on the PostgreSQL in a folder, with a clock that stands still. Its secret is in that folder, too. */
const startIn = async (dataDir: string) => {
  const embedded = await openEmbedded(dataDir);
  await migrate(embedded.url);
  await embedded.release();
  const foundation = await openFoundation({ ...config, DATA_DIR: dataDir }, { clock: frozen });
  const api = makeApi(foundation.platform, { config, log: silentLog });
  const server = await api.listen();
  api.lifecycle.ready();
  return {
    platform: foundation.platform,
    baseUrl: `http://127.0.0.1:${server.port}${basePath}`,
    async stop() {
      await server.drain(1_000);
      await foundation.close();
    },
  };
};

/** The list routes from which the ids in paths come. */
const listOf: Readonly<Record<string, string>> = {
  member_id: '/users',
  training_id: '/trainings',
  assignment_id: '/assignments',
  case_id: '/cases',
  endpoint_id: '/webhook-endpoints',
  delivery_id: '/webhook-deliveries',
};

/** All requests must fit into the budget of a key. */
const idsPerList = 2;
const perPage = 200;

const idsOf = async (client: Client, parameter: string): Promise<string[]> => {
  const list = listOf[parameter];
  if (list === undefined) throw new Error(`say here which list has the values of ${parameter}`);
  // The second demo team hides its members’ details.
  const answer = await client.get(list);
  expect(answer.status).toBeOneOf([200, 403]);
  const ids = answer.status === 200 ? answer.data.map(({ id }) => String(id)) : [];
  return ids.slice(0, idsPerList);
};

/** The answer of a GET, page by page. */
const said = async (client: Client, path: string, query: Readonly<Record<string, string>>): Promise<unknown[]> => {
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const values = new URLSearchParams({ ...query, ...(cursor !== undefined && { cursor }) });
    const { status, body } = await client.get(`${path}?${values.toString()}`);
    expect(status, path).toBeOneOf([200, 403, 404]);
    const { request_id: _, ...stable } = body;
    pages.push({ status, ...stable });
    // A feed has no last page: there is always a next cursor.
    const isEnd = typeof body['next_cursor'] !== 'string' || body['has_more'] === false;
    cursor = isEnd ? undefined : String(body['next_cursor']);
  } while (cursor !== undefined);
  return pages;
};

/** The answers of all GET routes of the API to a key, by path. */
const everyAnswer = async (client: Client): Promise<Map<string, unknown>> => {
  const answers = new Map<string, unknown>();
  for (const { openapi, input, query } of calledOperations()) {
    if (openapi.method !== 'GET') continue;
    const [, parameter] = /\{(\w+)\}/.exec(openapi.path) ?? [];
    const ids = parameter === undefined ? [''] : await idsOf(client, parameter);
    for (const id of ids) {
      const path = openapi.path.replace(/\{\w+\}/, id);
      const limit = 'limit' in input.shape && { limit: String(perPage) };
      const title = [path, ...Object.values(query)].join(' ');
      answers.set(title, await said(client, path, { ...limit, ...query }));
    }
  }
  return answers;
};

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}( |$)`).test(path);

describe('a backup', () => {
  it(
    'of the data folder, restored elsewhere, gives the same answers to every GET of the demo teams',
    { timeout: 300_000 },
    async () => {
      const [folder, restored] = [throwAwayFolder(), throwAwayFolder()];
      onTestFinished(async () => {
        await removeServer(folder);
        await removeServer(restored);
      });
      const before = await startIn(folder);
      const demo: DemoDocument = await prepareDemo({ platform: before.platform, dataDir: () => folder }, { config });
      const keys = demo.teams.map((team) => team.keys.all);
      // The demo has no webhooks, so this adds an endpoint and a waiting delivery for it. No name is looked up for it.
      for (const key of keys) {
        const client = makeClient(before.baseUrl, key);
        const endpoint = { url: 'https://93.184.216.34/hooks', events: ['member.joined'] };
        const { body } = await client.post('/webhook-endpoints', endpoint);
        expect((await client.post(`/webhook-endpoints/${String(body['id'])}/test`)).status).toBe(202);
      }
      const answersFrom = (baseUrl: string) => Promise.all(keys.map((key) => everyAnswer(makeClient(baseUrl, key))));
      const expected = await answersFrom(before.baseUrl);
      await before.stop();

      // As docs/operations.md says.
      await promisify(execFile)('cp', ['-a', `${folder}/.`, restored]);
      // Changes after the backup are not in it.
      const onwards = await startIn(folder);
      const [key = ''] = keys;
      expect((await makeClient(onwards.baseUrl, key).post('/users', { email: 'later@example.com' })).status).toBe(201);
      await onwards.stop();

      const after = await startIn(restored);
      // What was asked before counts in the same minute.
      await after.platform.database.prisma.requestBudget.deleteMany();
      const answers = await answersFrom(after.baseUrl);
      expect(answers.map((one) => [...one.keys()])).toEqual(expected.map((one) => [...one.keys()]));
      // Every route had an answer, because the first demo team has all kinds of data.
      for (const { openapi } of operationsOf(publicRouter).filter((one) => one.openapi.method === 'GET'))
        expect(
          [...(expected[0]?.keys() ?? [])].some((path) => matches(openapi.path, path)),
          openapi.path,
        ).toBe(true);
      for (const [index, wanted] of expected.entries())
        for (const [path, answer] of wanted) expect(answers[index]?.get(path), path).toEqual(answer);
      expect((await makeClient(after.baseUrl, key).post('/users', { email: 'later@example.com' })).status).toBe(201);
      await after.stop();
    },
  );
});
