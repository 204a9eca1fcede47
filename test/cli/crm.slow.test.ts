import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { certificates } from '../support/certificates.ts';
import { aFeed, page, token } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { failureIn, makeCli, makeCliOfProcesses } from './cli.ts';
import { useTestService } from '../support/service.ts';

const environment = localFeeds((await certificates()).caFile());
const service = await useTestService({ environment });
const folder = throwAwayFolder();
const variables = { DATABASE_URL: service.databaseUrl, DATA_DIR: folder, ...environment };
const [cli, processes] = [makeCli(variables), makeCliOfProcesses(variables)];
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, `${token}\n`);

// The exact output of the commands with --json.

const Connected = z.strictObject({ connection_id: z.uuid(), status: z.literal('active') });
const Time = z.iso.datetime({ precision: 3 });
const List = z.array(
  z.strictObject({
    connection_id: z.uuid(),
    provider: z.string(),
    name: z.string().nullable(),
    url: z.string().nullable(),
    status: z.enum(['active', 'paused', 'credentials_refused']),
    last_sync_at: Time.nullable(),
    last_outcome: z.string().nullable(),
    last_reason: z.string().nullable(),
    next_sync_at: Time.nullable(),
    deals: z.int(),
    objections: z.int(),
  }),
);
const Synced = z.strictObject({
  outcome: z.enum(['ok', 'failed']),
  deals: z.int(),
  objections: z.int(),
  reason: z.string().nullable(),
});
const Changed = z.strictObject({ connection_id: z.uuid(), status: z.string() });

const objection = { id: '1', deal_id: 'a', category: 'price', text: 'Zu teuer.', lang: 'de' };

const connected = async (url: string, ...flags: string[]) => {
  const team = await aTeam(service);
  const wanted = ['--team', team.id, '--provider', 'feed', '--url', url, '--token-file', tokenFile];
  const { connection_id: id } = await cli.json(Connected, ['crm', 'connect', ...wanted, ...flags]);
  return { team, id };
};

describe('crm', () => {
  it('connects a team, syncs at once and lists the results', async () => {
    const feed = await aFeed([{ deals: [{ id: 'a', outcome: 'open' }], objections: [objection] }]);
    const { team, id } = await connected(feed.url, '--every', '300', '--name', 'Nord');
    expect(feed.received).toHaveLength(0);
    expect(await cli.json(List, ['crm', 'list', '--team', team.id])).toMatchObject([
      { connection_id: id, status: 'active', last_sync_at: null, last_outcome: null, deals: 0 },
    ]);
    expect(await cli.json(Synced, ['crm', 'sync', '--connection', id])).toEqual({
      outcome: 'ok',
      deals: 1,
      objections: 1,
      reason: null,
    });
    expect(feed.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
    const [listed] = await cli.json(List, ['crm', 'list', '--team', team.id]);
    expect(listed).toMatchObject({ provider: 'feed', name: 'Nord', url: `${feed.url}/` });
    expect(listed).toMatchObject({ last_outcome: 'ok', last_reason: null, deals: 1, objections: 1 });
    const next = Date.parse(listed?.next_sync_at ?? '') - Date.parse(listed?.last_sync_at ?? '');
    expect(next).toBeLessThan(360_000);
    expect((await team.client.get('/crm/deals')).body['data']).toMatchObject([{ external_id: 'a' }]);
  });

  it('ends with 1 if the sync failed, and prints the reason', async () => {
    const feed = await aFeed(() => ({ status: 401 }));
    const { team, id } = await connected(feed.url);
    const { exitCode, stdout, stderr } = await cli.run(['crm', 'sync', '--connection', id, '--json']);
    expect([exitCode, stderr]).toEqual([1, '']);
    const reason = 'The CRM refused the access token (401). Enter a new one.';
    expect(Synced.parse(JSON.parse(stdout))).toEqual({ outcome: 'failed', deals: 0, objections: 0, reason });
    expect(await cli.json(List, ['crm', 'list', '--team', team.id])).toMatchObject([
      { status: 'credentials_refused', last_outcome: 'failed', last_reason: reason, next_sync_at: null },
    ]);
    feed.answerWith(() => page({}));
    expect(await cli.json(Synced, ['crm', 'sync', '--connection', id])).toMatchObject({ outcome: 'ok' });
    expect(await cli.json(List, ['crm', 'list', '--team', team.id])).toMatchObject([{ status: 'active' }]);
  });

  it('names the setting if a sync failed because the address is refused', async () => {
    const feed = await aFeed([{}]);
    const { id } = await connected(feed.url);
    const without = { WEBHOOK_ALLOW_TARGETS: '' };
    const { exitCode, stdout } = await cli.run(['crm', 'sync', '--connection', id, '--json'], without);
    expect(exitCode).toBe(1);
    expect(Synced.parse(JSON.parse(stdout))).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('The setting WEBHOOK_ALLOW_TARGETS can allow it (not in production).'),
    });
  });

  it('pauses, resumes and disconnects', async () => {
    const feed = await aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]);
    const { team, id } = await connected(feed.url);
    await cli.json(Synced, ['crm', 'sync', '--connection', id]);
    const connection = ['--connection', id];
    expect(await cli.json(Changed, ['crm', 'pause', ...connection])).toEqual({ connection_id: id, status: 'paused' });
    expect(await cli.json(List, ['crm', 'list', '--team', team.id])).toMatchObject([
      { status: 'paused', next_sync_at: null, deals: 1 },
    ]);
    expect(await cli.json(Changed, ['crm', 'resume', ...connection])).toMatchObject({ status: 'active' });
    expect(await cli.json(Changed, ['crm', 'disconnect', ...connection])).toMatchObject({ status: 'disconnected' });
    expect(await cli.json(List, ['crm', 'list', '--team', team.id])).toEqual([]);
    expect((await team.client.get('/crm/deals')).body['data']).toEqual([]);
    for (const command of ['sync', 'pause', 'resume', 'disconnect'])
      expect(await cli.failure(['crm', command, ...connection])).toMatchObject({ exitCode: 1, code: 'not_found' });
  });

  it('refuses private addresses, naming the setting that can allow them, and teams without the API, and stores no token in plain text', async () => {
    const team = await aTeam(service);
    const flags = ['--provider', 'feed', '--token-file', tokenFile];
    const at = (url: string) => ['crm', 'connect', '--team', team.id, '--url', url, ...flags];
    const setting = 'The setting WEBHOOK_ALLOW_TARGETS can allow it (not in production).';
    for (const [url, reason] of [
      ['https://10.0.0.7/', `The address 10.0.0.7 is not public. ${setting}`],
      ['https://localhost/', `localhost is a name of private networks. ${setting}`],
      ['https://feed.example:22/', `Use port 443, or a port from 1024. ${setting}`],
      ['http://feed.example/', 'The URL must begin with https://.'],
    ] as const) {
      const { exitCode, code, message } = await cli.failure(at(url));
      expect([exitCode, code]).toEqual([1, 'validation_error']);
      expect(message).toMatch(/^Invalid values: url: /);
      expect(message.slice(-reason.length)).toBe(reason);
    }
    await team.change({ status: 'suspended' });
    const feed = await aFeed([{}]);
    const disabled = { exitCode: 1, code: 'api_disabled', message: expect.stringContaining('not include API access') };
    expect(await cli.failure(at(feed.url))).toMatchObject(disabled);
    const other = await connected(feed.url);
    await other.team.change({ plan: 'basic' });
    expect(await cli.failure(['crm', 'sync', '--connection', other.id])).toMatchObject(disabled);
  });

  it('reads the token from the standard input, so that no list of processes shows it', async () => {
    const feed = await aFeed([{ deals: [{ id: 'a', outcome: 'open' }] }]);
    const team = await aTeam(service);
    const wanted = ['--team', team.id, '--provider', 'feed', '--url', feed.url, '--token-file', '-', '--json'];
    const empty = failureIn(await cli.onTerminal(['crm', 'connect', ...wanted], ' \n', { isInput: false }));
    expect([empty.code, empty.message]).toEqual([
      'validation_error',
      expect.stringContaining('The standard input is empty.'),
    ]);
    const made = await processes.withInput(['crm', 'connect', ...wanted], `${token}\n`);
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    const { connection_id: id } = Connected.parse(JSON.parse(made.stdout));
    const synced = await cli.json(Synced, ['crm', 'sync', '--connection', id]);
    expect(synced).toEqual({ outcome: 'ok', deals: 1, objections: 0, reason: null });
    expect(feed.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
  });

  it('reports that the file of the token is missing or empty', async () => {
    const team = await aTeam(service);
    const empty = `${tokenFile}-empty`;
    writeFileSync(empty, '\n');
    for (const [file, sentence] of [
      [`${tokenFile}-missing`, `The file ${tokenFile}-missing does not exist.`],
      [empty, `The file ${empty} is empty.`],
    ] as const) {
      const flags = ['--provider', 'feed', '--url', 'https://feed.example/', '--token-file', file];
      const { code, message } = await cli.failure(['crm', 'connect', '--team', team.id, ...flags]);
      expect([code, message]).toEqual(['validation_error', expect.stringContaining(sentence)]);
    }
  });
});
