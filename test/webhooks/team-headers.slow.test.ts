import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { makeVault } from '../../src/core/crypto.ts';
import { endpointLimits, webhookLimits } from '../../src/core/limits.ts';
import { redactedMark } from '../../src/core/redacted.ts';
import { unsealHeaders, withoutValues } from '../../src/deliveries/team-headers.ts';
import { exportSnapshot } from '../../src/modules/export/service.ts';
import { resealSecrets } from '../../src/modules/webhooks/cleanup.ts';
import { apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { aDispatcher, anEvent, attemptsTo, untilAllAre } from '../support/worker.ts';
import { aReceiver } from '../support/receiver.ts';
import { withSql } from '../support/postgres.ts';
import { testSecret, useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { unzip } from '../export/unzip.ts';

const service = await useTestService({ own: true });

const url = 'https://hooks.example.com/training';
const events = ['crm.sync.failed'];
const value = 'Basic Z2F0ZXdheTpvcGVu';
const headers = { Authorization: value, 'X-Gateway-Key': 'a key of the gateway' };

const create = async (team: TestTeam, more: object = {}) => {
  const answer = await team.client.post('/webhook-endpoints', { url, events, headers, ...more });
  expect(answer.status).toBe(201);
  const { body, text } = answer;
  return { body, text, id: String(body['id']) };
};

/** A team whose endpoint gets no other headers: all changes of it are refused. */
const refusing = await aTeam(service);
const { id: refused } = await create(refusing);

const storedHeaders = async (team: TestTeam, id: string) => {
  const { prisma } = service.database;
  const row = await prisma.webhookEndpoint.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });
  return Object.fromEntries(unsealHeaders(service.platform.vault, id, row.headers));
};

/** All rows of all tables as text, with bytes as text too. */
const everythingStored = (): Promise<string> =>
  withSql(service, async (sql) => {
    const { rows: tables } = await sql.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    const found: unknown[] = [];
    for (const { name } of tables) found.push(...(await sql.query(`select t::text as row from ${name} t`)).rows);
    return JSON.stringify(found).replaceAll(
      /(?:[0-9a-f]{2}){8,}/g,
      (hex) => hex + Buffer.from(hex, 'hex').toString('latin1'),
    );
  });

/** All files of the team's export. */
const exportOf = async (team: TestTeam): Promise<string> => {
  const archive = new PassThrough();
  const written = buffer(archive);
  await exportSnapshot(await team.acting(), archive);
  return [...(await unzip(await written)).values()].join(' ');
};

/** How the answer of a receiver may repeat a value. `redacted.test.ts` has all forms. */
const forms = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  (text: string) => encodeURIComponent(text),
];
const repeated = forms.map((write) => write(value)).join(', ');

/**
 * An endpoint whose receiver is behind a gateway, which refuses requests without the header. The answer repeats what
 * came in several forms; its excerpt ends within the last one.
 */
const anEndpointBehindGateway = async (team: TestTeam) => {
  const receiver = await aReceiver({
    answer: ({ headers: { authorization = 'nothing' } }) => ({
      status: authorization === value ? 200 : 401,
      headers: { 'x-came': forms.map((write) => write(authorization)).join(', ') },
      body: `You sent ${repeated}${'.'.repeat(webhookLimits.excerptCharacters - 10 - `You sent ${repeated}`.length)}${authorization}`,
    }),
  });
  const { id } = await create(team);
  await service.database.prisma.webhookEndpoint.updateMany({ where: { id }, data: { url: receiver.url } });
  return { receiver, id };
};

describe('the headers of an endpoint', () => {
  it('are answered with their names only, and stored encrypted', async () => {
    const team = await aTeam(service);
    const { id, body, text } = await create(team);
    const names = { Authorization: null, 'X-Gateway-Key': null };
    expect(body['headers']).toEqual(names);
    expect(text).not.toContain(value);
    expect((await team.client.get('/webhook-endpoints')).data).toMatchObject([{ id, headers: names }]);
    expect(await storedHeaders(team, id)).toEqual(headers);
    expect(await everythingStored()).not.toContain(value);
    expect((await create(team, { headers: null })).body['headers']).toEqual({});
  });

  it('are replaced as a whole by a PATCH, kept if it does not name them, and removed by null', async () => {
    const team = await aTeam(service);
    const { id } = await create(team);
    const change = (body: object) => team.client.patch(`/webhook-endpoints/${id}`, body);
    expect((await change({ description: 'other' })).body['headers']).toEqual({
      Authorization: null,
      'X-Gateway-Key': null,
    });
    expect((await change({ headers })).status).toBe(200);
    expect((await change({ headers: { ...headers, Authorization: 'Bearer 2' } })).status).toBe(200);
    expect(await storedHeaders(team, id)).toEqual({ ...headers, Authorization: 'Bearer 2' });
    expect((await change({ headers: { 'X-Other': '1' } })).body['headers']).toEqual({ 'X-Other': null });
    expect(await storedHeaders(team, id)).toEqual({ 'X-Other': '1' });
    expect((await change({ headers: null })).body['headers']).toEqual({});
    expect(await storedHeaders(team, id)).toEqual({});
    const both = ['Authorization', 'X-Gateway-Key'];
    expect((await auditEntriesOn(service, team, id)).map(({ data }) => data)).toEqual([
      { url, events, headers: both },
      expect.objectContaining({ changed: ['description'] }),
      { changed: ['headers'], before: { headers: both }, after: { headers: both } },
      { changed: ['headers'], before: { headers: both }, after: { headers: ['X-Other'] } },
      { changed: ['headers'], before: { headers: ['X-Other'] }, after: { headers: [] } },
    ]);
  });

  it.each([
    ['the same URL', true, 'https://hooks.example.com/training?of=1'],
    ['another case of the host', true, 'https://HOOKS.Example.com/training?of=1'],
    ['another case of the scheme', true, 'HTTPS://hooks.example.com/training?of=1'],
    ['the default port', true, 'https://hooks.example.com:443/training?of=1'],
    ['a path that leads there', true, 'https://hooks.example.com/other/../training?of=1'],
    ['a fragment', true, 'https://hooks.example.com/training?of=1#part'],
    ['another host', false, 'https://elsewhere.example.com/training?of=1'],
    ['a full host name', false, 'https://hooks.example.com./training?of=1'],
    ['another port', false, 'https://hooks.example.com:8443/training?of=1'],
    ['another path', false, 'https://hooks.example.com/other?of=1'],
    ['another case of the path', false, 'https://hooks.example.com/Training?of=1'],
    ['an encoded path', false, 'https://hooks.example.com/%74raining?of=1'],
    ['a slash at the end', false, 'https://hooks.example.com/training/?of=1'],
    ['no path', false, 'https://hooks.example.com?of=1'],
    ['another query', false, 'https://hooks.example.com/training?of=2'],
    ['no query', false, 'https://hooks.example.com/training'],
    ['more in the query', false, 'https://hooks.example.com/training?of=1&more'],
  ])('stay with a URL that only has another spelling, and no other gets them: %s', async (_what, isSame, to) => {
    const team = await aTeam(service);
    const from = 'https://hooks.example.com/training?of=1';
    const { id } = await create(team, { url: from });
    const plain = await create(team, { url: from, headers: null });
    const change = (body: object) => team.client.patch(`/webhook-endpoints/${id}`, body);
    const now = async () => (await team.client.get(`/webhook-endpoints/${id}`)).body['url'];

    const answer = await change({ url: to });
    if (isSame) expect(answer.body).toMatchObject({ url: from, headers: { Authorization: null } });
    else expect(answer).toBeProblem('validation_error', { field: 'headers', detail: expect.any(String) });
    expect(await now()).toBe(from);
    const api = (await apiInTheApp(team, ['webhooks:manage'])).webhooks;
    const inApp = api.change({ endpoint_id: id, url: to });
    if (isSame) expect(await inApp).toMatchObject({ url: from });
    else await expectRefusal(inApp, { code: 'validation_error', members: { field: 'headers' } });
    expect(await storedHeaders(team, id)).toEqual(headers);

    // With the headers, or without any, the endpoint gets every URL.
    const changed = await change({ url: to, headers });
    expect([changed.status, changed.body['url'] === from]).toEqual([200, isSame]);
    expect((await change({ url: from, headers: null })).status).toBe(200);
    expect((await change({ url: to })).status).toBe(200);
    expect((await team.client.patch(`/webhook-endpoints/${plain.id}`, { url: to })).status).toBe(200);
  });

  it.each([
    'Host',
    'content-type',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Svc-Signature',
    'svc-check',
    'Webhook-Id',
    'User-Agent',
    'Accept-Encoding',
    'X Name',
    'X:Name',
    'Größe',
    '',
    '_proto',
    'x'.repeat(endpointLimits.headerNameCharacters + 1),
  ])('can’t be named %j: 422 on headers', async (name) => {
    const named = `{"headers":{${JSON.stringify(name)}:"a value"}}`;
    const body = `{"url":"${url}","events":["crm.sync.failed"],${named.slice(1)}`;
    const answer = await refusing.client.post('/webhook-endpoints', body);
    expect(answer).toBeProblem('validation_error', { field: 'headers', detail: expect.any(String) });
    const change = await refusing.client.patch(`/webhook-endpoints/${refused}`, named);
    expect(change).toBeProblem('validation_error', { field: 'headers', detail: expect.any(String) });
    expect(await storedHeaders(refusing, refused)).toEqual(headers);
  });

  it('have a limited number, and different names', async () => {
    const team = await aTeam(service);
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'v']));
    const refused = { field: 'headers', detail: expect.any(String) };
    const { headers: max } = endpointLimits;
    await create(team, { headers: many(max) });
    for (const wanted of [many(max + 1), { 'X-A': '1', 'x-a': '2' }]) {
      const answer = await team.client.post('/webhook-endpoints', { url, events, headers: wanted });
      expect(answer).toBeProblem('validation_error', refused);
    }
  });

  it.each(['', ' ', ' x', 'x ', 'a\r\nb', 'a\tb', 'ü', 'x'.repeat(1_001), 1, null])(
    'can’t have the value %j: 422 with its place',
    async (wanted) => {
      const answer = await refusing.client.post('/webhook-endpoints', { url, events, headers: { 'X-A': wanted } });
      expect(answer).toBeProblem('validation_error', {
        errors: [expect.objectContaining({ path: ['headers', 'X-A'], in: 'body' })],
      });
    },
  );

  it('reach a receiver behind a gateway with every delivery, and are hidden in its attempts and in what it repeats', async () => {
    const team = await aTeam(service);
    const { receiver, id } = await anEndpointBehindGateway(team);
    await aDispatcher(service);
    await anEvent(service, team);
    const [request] = await receiver.untilReceived(1);
    expect(request?.headers).toMatchObject({ authorization: value, 'x-gateway-key': 'a key of the gateway' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' });
    await untilAllAre(service, 'ok', id, 1);
    const [attempt] = await attemptsTo(service, id);
    expect(attempt).toMatchObject({
      requestHeaders: { Authorization: '[redacted]', 'X-Gateway-Key': '[redacted]' },
      responseHeaders: { 'x-came': '[redacted], [redacted], [redacted], [redacted]' },
      responseExcerpt: expect.stringMatching(
        /^You sent \[redacted\], \[redacted\], \[redacted\], \[redacted\]\.+\[redacted\]$/,
      ),
    });
    const { webhookHistory, audit } = await inTheApp(team);
    const deliveryId = String(attempt?.deliveryId);
    const { data } = await webhookHistory.attempts({ delivery_id: deliveryId });
    expect(data[0]?.request_headers).toMatchObject({ Authorization: '[redacted]' });

    const paths = ['webhook-endpoints', `webhook-endpoints/${id}`, `webhook-endpoints/${id}/deliveries`];
    paths.push('webhook-deliveries', `webhook-deliveries/${deliveryId}`, 'events');
    const answers = await Promise.all(paths.map((path) => team.client.get(`/${path}`)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    const everywhere = {
      answers: `${JSON.stringify(data)} ${answers.map(({ text }) => text).join(' ')}`,
      audit: JSON.stringify(await audit.list({})),
      export: await exportOf(team),
      log: JSON.stringify(service.logged()),
      database: await everythingStored(),
    };
    for (const [where, written] of Object.entries(everywhere)) {
      expect(written.includes(where === 'log' ? team.id : id), where).toBe(true);
      for (const secret of Object.values(headers)) {
        const beginning = secret.slice(0, 8);
        for (const write of forms) expect(written.includes(write(beginning).slice(0, 10)), where).toBe(false);
      }
    }
  });

  // check-up.slow.test.ts has that they are sent with the check of the receiver.

  it('are sealed again under a new secret of the service', async () => {
    const team = await aTeam(service);
    const { id } = await create(team);
    const rotated = { ...service.platform, vault: makeVault(['a secret that came into use later', testSecret]) };
    await expect.poll(() => resealSecrets(rotated)).toMatchObject({ left: 0, lost: 0 });
    const { prisma } = service.database;
    const row = await prisma.webhookEndpoint.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });
    const vault = makeVault(['a secret that came into use later']);
    expect(Object.fromEntries(unsealHeaders(vault, id, row.headers))).toEqual(headers);
    await resealSecrets({ ...service.platform, vault: makeVault([testSecret, 'a secret that came into use later']) });
  });
});

describe('the result of a request', () => {
  const result = { startedAt: new Date(), ms: 1, code: 200, error: null, errorDe: null, fault: null } as const;
  const sent = new Map([
    ['A', '1234567'],
    ['B', '12345678'],
  ]);

  it('repeats no value of eight characters or more', () => {
    const answer = { excerpt: 'of 1234567, 12345678', headers: { echo: '12345678 1234567', 'x-12345678': 'name' } };
    expect(withoutValues({ ...result, ...answer }, sent)).toEqual({
      ...result,
      excerpt: `of 1234567, ${redactedMark}`,
      headers: { echo: `${redactedMark} 1234567`, [`x-${redactedMark}`]: 'name' },
    });
  });

  it('has an excerpt of limited length, also where the mark is longer than the value', () => {
    const max = webhookLimits.excerptCharacters;
    const excerpt = '12345678,'.repeat(max).slice(0, max);
    const hidden = withoutValues({ ...result, excerpt, headers: null }, sent).excerpt;
    expect(hidden).toBe(`${redactedMark},`.repeat(max).slice(0, max));
  });

  it('may have neither excerpt nor headers', () => {
    const failed = { ...result, code: null, excerpt: null, headers: null };
    expect(withoutValues(failed, sent)).toEqual(failed);
  });
});
