import { UnauthorizedError } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { secondsToMs } from '../../src/core/clock.ts';
import { documentLimits } from '../../src/core/limits.ts';
import { clientAt } from '../../src/modules/assistants/client-documents.ts';
import { clientIdOf } from '../../src/modules/assistants/clients.ts';
import { anMcpClient, anOAuthProvider, assistantOf, revisions } from '../support/assistants.ts';
import { certificates } from '../support/certificates.ts';
import { aSignedInPerson, type SignedInPerson } from '../support/people.ts';
import { twoFreePorts } from '../support/ports.ts';
import { aReceiver, localFeeds, type AnswerProgress } from '../support/receiver.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// Assistants whose client id is the address of a Client ID Metadata Document, on a server of ours.

const ca = (await certificates()).caFile();
const port = String(await twoFreePorts());
const publicUrl = `http://127.0.0.1:${port}`;
const service = await useTestService({
  publicUrl,
  environment: { PORT: port, SIGN_IN_RATE_PER_MIN: '100000', ...localFeeds(ca) },
});

const redirectUri = 'http://127.0.0.1:45678/callback';
const type = { 'Content-Type': 'application/json' };

/** A document of an assistant. `answerOf` gets its text and its address, and replaces the answer. */
const aDocument = async (
  more: object = {},
  answerOf: (text: string, url: string) => ReturnType<AnswerProgress> = (body) => ({
    status: 200,
    headers: type,
    body,
  }),
) => {
  const server = await aReceiver();
  const url = `${server.url}/oauth/client.json`;
  const text = JSON.stringify({
    client_id: url,
    client_name: 'Der Assistent',
    redirect_uris: [
      'cursor://callback',
      'http://localhost/callback',
      'http://127.0.0.1/callback',
      'https://a.example/b',
    ],
    ...more,
  });
  server.answerWith(() => answerOf(text, url));
  return { server, url, host: new URL(url).host };
};

const requestOf = (clientId: string, more: object = {}) => ({
  client_id: clientId,
  redirect_uri: redirectUri,
  response_type: 'code',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
  ...more,
});

const team = await aTeam(service);
/** Fetches are counted for each person, so each test has its own. */
let person: SignedInPerson;
beforeEach(async () => {
  person = await aSignedInPerson(service, team, { role: 'admin' });
});

const ask = async (clientId: string, more: object = {}) =>
  person.browser.query('entrance/assistants.question', requestOf(clientId, more));
/** The parameter that is wrong; null for a valid request. */
const wrongIn = async (clientId: string, more: object = {}) => (await ask(clientId, more)).data['wrong'];

describe('the official client', () => {
  it.each(revisions)('connects by its document, in the revision %s', async (revision) => {
    const { server, url, host } = await aDocument();
    const provider = anOAuthProvider(redirectUri, { clientMetadataUrl: url });
    const first = anMcpClient(service, provider, { revision });
    await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError);
    const { scope: _scope, ...request } = Object.fromEntries(provider.sentTo().searchParams);
    expect(request['client_id']).toBe(url);

    const { data: asked } = await person.browser.query('entrance/assistants.question', request);
    expect(asked['question']).toMatchObject({
      client_name: 'Der Assistent',
      document_host: host,
      redirect_host: '127.0.0.1:45678',
    });
    const { data } = await person.browser.mutate('entrance/assistants.connect', { ...request, tenant_id: team.id });
    await first.transport.finishAuth(new URL(String(data['redirect_to'])).searchParams);
    // Once for both: the document was in the cache.
    expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /oauth/client.json']);

    // From now on the document is not needed.
    server.answerWith(() => ({ status: 404 }));
    const { client, transport } = anMcpClient(service, provider, { revision });
    await client.connect(transport);
    expect(await assistantOf(client).call('team_progress')).toMatchObject({ isError: false });
    const entry = await service.database.prisma.auditEntry.findFirstOrThrow({
      where: { tenantId: team.id, action: 'assistant.connected', actorId: person.userId },
    });
    expect(entry.data).toEqual({ assistant: 'Der Assistent', host: '127.0.0.1:45678', document_host: host });
    const tokens = await provider.tokens();
    const refreshed = await fetch(`${publicUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: url,
        refresh_token: tokens?.refresh_token ?? '',
      }),
    });
    expect(refreshed.status).toBe(200);
    expect(server.received).toHaveLength(1);
  });
});

describe('a document', () => {
  it('is announced in the metadata of the server, beside registration', async () => {
    const metadata = await fetch(`${publicUrl}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toMatchObject({
      client_id_metadata_document_supported: true,
      registration_endpoint: `${publicUrl}/oauth/register`,
    });
  });

  it('is accepted with its own address, also of a client that could show a key; without a name, its host is shown', async () => {
    for (const more of [
      {},
      { token_endpoint_auth_method: 'none' },
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://a.example' },
      { client_name: undefined },
    ]) {
      const { url, host } = await aDocument(more);
      const name = 'client_name' in more ? '127.0.0.1' : 'Der Assistent';
      expect((await ask(url)).data).toMatchObject({
        wrong: null,
        question: { client_name: name, document_host: host },
      });
    }
  });

  it('is accepted with up to 5,000 bytes, also as another type of JSON', async () => {
    const padded = (bytes: number) =>
      aDocument({}, (text) => ({
        status: 200,
        headers: { 'Content-Type': 'application/oauth-client+json; charset=utf-8' },
        body: text.padEnd(bytes),
      }));
    expect(await wrongIn((await padded(5_000)).url)).toBeNull();
    expect(await wrongIn((await padded(5_001)).url)).toBe('client_id');
  });

  const ok = { status: 200, headers: type };
  it.each<[why: string, documents: Readonly<Record<string, Parameters<typeof aDocument>>>]>([
    [
      'what it says',
      {
        'another address': [{ client_id: 'https://a.example/client.json' }],
        'a secret': [{ client_secret: 'x' }],
        'a shared secret as its proof': [{ token_endpoint_auth_method: 'client_secret_basic' }],
        'no addresses': [{ redirect_uris: [] }],
        'none of the allowed addresses': [{ redirect_uris: ['http://a.example/callback', 'cursor://callback'] }],
      },
    ],
    [
      'how it is answered',
      {
        'no JSON': [{}, () => ({ ...ok, body: '<html>' })],
        'no object': [{}, () => ({ ...ok, body: '[]' })],
        'another type': [{}, (body) => ({ status: 200, headers: { 'Content-Type': 'text/plain' }, body })],
        'another status': [{}, (body) => ({ status: 404, headers: type, body })],
        'a redirection': [{}, (body, url) => ({ status: 302, headers: { ...type, Location: `${url}?` }, body })],
        'a connection that ends': [{}, () => 'reset'],
      },
    ],
  ])('is refused for %s, and asked for again the next time', async (_why, documents) => {
    for (const [what, given] of Object.entries(documents)) {
      const { server, url } = await aDocument(...given);
      expect([what, await wrongIn(url)]).toEqual([what, 'client_id']);
      const consent = { ...requestOf(url), tenant_id: team.id };
      const { problem } = await person.browser.mutate('entrance/assistants.connect', consent);
      expect(problem).toMatchObject({ code: 'validation_error', field: 'client_id' });
      expect(new Set(server.received.map(({ path }) => path))).toEqual(new Set(['/oauth/client.json']));
      expect(server.received.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('is read only at an HTTPS address with a path, in its usual notation', async () => {
    const { server } = await aDocument();
    const { host } = new URL(server.url);
    for (const url of [
      `http://${host}/oauth/client.json`,
      `https://${host}`,
      `https://${host}/`,
      `https://${host}/?a`,
      `https://${host}/oauth/client.json#a`,
      `https://u:p@${host}/oauth/client.json`,
      `https://${host}/oauth/../oauth/client.json`,
      `HTTPS://${host}/oauth/client.json`,
      `https://${host}/oauth/client.json `,
      `https://${host}/${'a'.repeat(documentLimits.urlCharacters)}`,
    ])
      expect([url, await wrongIn(url)]).toEqual([url, 'client_id']);
    expect(server.received).toEqual([]);
  });

  it('is not fetched from a private address', async () => {
    const server = await aReceiver();
    const strict = await startTestService({ databaseUrl: service.databaseUrl, environment: { WEBHOOK_CA_FILE: ca } });
    onTestFinished(() => strict.close());
    expect(await clientAt(strict.platform, `${server.url}/client.json`, async () => {})).toBeUndefined();
    expect(server.connections()).toBe(0);
  });

  it('allows its own addresses only: on the person’s machine with any port, elsewhere exactly', async () => {
    const { url } = await aDocument();
    for (const own of [
      'http://localhost/callback',
      'http://localhost:3118/callback',
      'http://127.0.0.1:1/callback',
      'https://a.example/b',
    ])
      expect([own, await wrongIn(url, { redirect_uri: own })]).toEqual([own, null]);
    for (const other of [
      'http://localhost:3118/other',
      'http://localhost:3118/callback?a=b',
      'http://localhost:3118/callback#a',
      'http://[::1]:3118/callback',
      'https://localhost:3118/callback',
      'http://evil.example:3118/callback',
      'https://a.example:8443/b',
      'https://a.example/b/c',
      'https://evil.example/b',
      'cursor://callback',
      'http://[',
    ])
      expect([other, await wrongIn(url, { redirect_uri: other })]).toEqual([other, 'redirect_uri']);

    // A registration names the port.
    const registered = clientIdOf(service.platform, { name: 'Registered', redirectUris: [redirectUri] });
    expect(await wrongIn(registered)).toBeNull();
    expect(await wrongIn(registered, { redirect_uri: 'http://127.0.0.1:45679/callback' })).toBe('redirect_uri');
  });

  const [min, max] = [60, 86_400];
  it('is cached for as long as its headers say, at least a minute and at most a day', async () => {
    const expires = () => new Date(service.clock.now().getTime() + secondsToMs(600)).toUTCString();
    const cases: readonly (readonly [headers: () => Record<string, string>, seconds: number])[] = [
      [() => ({}), min],
      [() => ({ 'Cache-Control': 'max-age=10' }), min],
      [() => ({ 'Cache-Control': 'public, max-age=600' }), 600],
      [() => ({ 'Cache-Control': 'max-age=999999' }), max],
      [() => ({ 'Cache-Control': 'no-store, max-age=600' }), min],
      [() => ({ 'Cache-Control': 'no-cache, max-age=600' }), min],
      [() => ({ Expires: expires() }), 600],
      [() => ({ Expires: 'in a while' }), min],
    ];
    onTestFinished(() => service.clock.set(new Date()));
    for (const [headers, seconds] of cases) {
      const { server, url } = await aDocument({}, (body) => ({
        status: 200,
        headers: { ...type, ...headers() },
        body,
      }));
      const fetchesAfter = async (waited: number) => {
        service.clock.forward(secondsToMs(waited));
        expect(await wrongIn(url)).toBeNull();
        return server.received.length;
      };
      const fetches = [await fetchesAfter(0), await fetchesAfter(seconds - 20), await fetchesAfter(40)];
      expect([headers(), fetches]).toEqual([headers(), [1, 1, 2]]);
    }
  });

  it('is fetched for one person so many times in a minute', async () => {
    const { server, url } = await aDocument({}, () => ({ status: 404 }));
    const { max: allowed } = documentLimits.fetchesPerPerson;
    const statuses = [];
    for (let asked = 0; asked <= allowed; asked += 1) statuses.push((await ask(url)).status);
    expect(statuses).toEqual([...Array.from({ length: allowed }, () => 200), 429]);
    expect(server.received).toHaveLength(allowed);
    const other = await aSignedInPerson(service, team);
    expect((await other.browser.query('entrance/assistants.question', requestOf(url))).status).toBe(200);
  });
});
