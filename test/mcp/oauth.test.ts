import { createHash, randomBytes } from 'node:crypto';
import { UnauthorizedError } from '@modelcontextprotocol/client';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { minutesToMs } from '../../src/core/clock.ts';
import { assistantLimits, limits } from '../../src/core/limits.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { allTools } from '../../src/server/mcp/protocol.ts';
import { assistantScopes, consentPath } from '../../src/modules/assistants/schema.ts';
import { deleteExpiredConnections } from '../../src/modules/assistants/service.ts';
import { connections } from '../../src/modules/assistants/store.ts';
import { demandSignIn } from '../../src/modules/company-sign-in/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { tools } from '../contract/rows/tools.ts';
import { aCoachedTeam, anAssistant, anMcpClient, anOAuthProvider, assistantOf } from '../support/assistants.ts';
import { aSignedInPerson, testPassword, type SignedInPerson } from '../support/people.ts';
import { twoFreePorts } from '../support/ports.ts';
import { startTestService, useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { countTries } from '../support/budgets.ts';

const port = String(await twoFreePorts());
const publicUrl = `http://127.0.0.1:${port}`;
const service = await useTestService({
  publicUrl,
  environment: { PORT: port, SIGN_IN_RATE_PER_MIN: '100000', TRUST_PROXY: '1' },
});
// Each test comes from its own network, because together they would use up the budget of one.
let network = 0;
beforeEach(() => {
  network += 1;
});
const fromNetwork = () => ({ 'X-Forwarded-For': `192.0.2.${network}` });

const redirectUri = 'http://127.0.0.1:45678/callback';

const Json = z.record(z.string(), z.unknown());

const register = async (wanted: object = {}) => {
  const response = await fetch(`${publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...fromNetwork() },
    body: JSON.stringify({ client_name: 'Ein Assistent', redirect_uris: [redirectUri], ...wanted }),
  });
  return { status: response.status, body: Json.parse(await response.json()) };
};

const aClientId = async (): Promise<string> => String((await register()).body['client_id']);

const postForm = async (path: string, form: Record<string, string>) => {
  const response = await fetch(`${publicUrl}${path}`, {
    method: 'POST',
    headers: fromNetwork(),
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : Json.parse(JSON.parse(text)) };
};

/** A verifier and its challenge (PKCE). */
const aProof = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

const requestOf = (clientId: string, challenge: string, more: Record<string, string> = {}) => ({
  client_id: clientId,
  redirect_uri: redirectUri,
  response_type: 'code',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'a state',
  resource: `${publicUrl}/mcp`,
  ...more,
});

/** Consents in the same way as the page of the app. */
const consent = async ({ browser }: SignedInPerson, team: { id: string }, request: object): Promise<URL> => {
  const { data } = await browser.mutate('entrance/assistants.connect', { ...request, tenant_id: team.id });
  return new URL(String(data['redirect_to']));
};

/** Connects without the official client, and returns the tokens. */
const connect = async (person: SignedInPerson, team: { id: string }) => {
  const clientId = await aClientId();
  const { verifier, challenge } = aProof();
  const url = await consent(person, team, requestOf(clientId, challenge));
  const grant = {
    grant_type: 'authorization_code',
    code: url.searchParams.get('code') ?? '',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  const { body } = await postForm('/oauth/token', grant);
  return { clientId, grant, access: String(body['access_token']), refresh: String(body['refresh_token']) };
};

const refreshed = (clientId: string, token: string) =>
  postForm('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });

const statusOf = async (access: string): Promise<number> => {
  const response = await fetch(`${publicUrl}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${access}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  return response.status;
};

describe('the official client', () => {
  it('registers, gets the consent, calls a tool as its person, refreshes, and is refused once disconnected', async () => {
    const team = await aTeam(service);
    const { given } = await aCoachedTeam(service, team);
    const admin = await aSignedInPerson(service, team, { role: 'admin' });
    const provider = anOAuthProvider(redirectUri);

    const first = anMcpClient(service, provider);
    await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError);
    const asked = provider.sentTo();
    expect(`${asked.origin}${asked.pathname}`).toBe(`${publicUrl}${consentPath}`);
    const request = Object.fromEntries(asked.searchParams);
    delete request['scope'];
    const { data: question } = await admin.browser.query('entrance/assistants.question', request);
    expect(question['question']).toMatchObject({
      client_name: 'Der Assistent',
      redirect_host: '127.0.0.1:45678',
      teams: [
        { tenant_id: team.id, abilities: expect.arrayContaining([{ de: 'Aufgaben sehen', en: 'View assignments' }]) },
      ],
    });
    const answer = await consent(admin, team, request);
    expect(`${answer.origin}${answer.pathname}`).toBe(redirectUri);
    await first.transport.finishAuth(answer.searchParams);

    const { client, transport } = anMcpClient(service, provider);
    await client.connect(transport);
    const assistant = assistantOf(client);
    expect(await assistant.toolNames()).toEqual(allTools.map(({ name }) => name));
    expect(await assistant.call('assign_practice', given['assign_practice'])).toMatchObject({ isError: false });
    const entry = await service.database.prisma.auditEntry.findFirstOrThrow({
      where: { tenantId: team.id, action: 'assignment.created', actorKind: 'person' },
    });
    expect(entry.actorId).toBe(admin.userId);

    service.clock.forward(assistantLimits.accessMinutes * 60_000 + 1_000);
    expect(await assistant.call('team_progress')).toMatchObject({ isError: false });

    const { data: list } = await admin.browser.query('entrance/assistants.list');
    const [connected] = z.object({ assistants: z.array(Json) }).parse(list).assistants;
    expect(connected).toMatchObject({
      client_name: 'Der Assistent',
      team_name: 'A team',
      last_used_at: expect.any(String),
    });
    await admin.browser.mutate('entrance/assistants.disconnect', { connection_id: connected?.['id'] });
    await expect(assistant.call('team_progress')).rejects.toThrow(UnauthorizedError);
    const actions = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: { startsWith: 'assistant.' } },
      orderBy: { id: 'asc' },
    });
    expect(actions.map(({ action, actorId }) => [action, actorId])).toEqual([
      ['assistant.connected', admin.userId],
      ['assistant.disconnected', admin.userId],
    ]);
    expect(actions[0]?.address).toMatch(/127\.0\.0\.1$/);
  });
});

describe('the rights of an assistant', () => {
  it('are those of its person: a member without rights sees nothing of others', async () => {
    const team = await aTeam(service);
    const { member, given } = await aCoachedTeam(service, team);
    const colleague = await aSignedInPerson(service, team);
    const { access } = await connect(colleague, team);
    const assistant = await anAssistant(service, access);
    const ofMembers = Object.keys(tools).filter((name) => tools[name]?.people === 'member');
    expect((await assistant.toolNames()).toSorted()).toEqual(ofMembers.toSorted());
    for (const { name } of allTools) {
      const { texts, isError, data } = await assistant.call(name, given[name]);
      expect(isError, name).toBe(!ofMembers.includes(name));
      expect(texts.join()).not.toContain(member.email);
      if (isError) {
        expect(data['code']).toBe('insufficient_scope');
        expect(texts[0]).toMatch(/^You don’t have permission for this action/);
      }
      if (name === 'who_needs_help')
        expect(data).toMatchObject({ members: null, members_hidden: 'insufficient_scope' });
    }
  });

  it('change with the role, and end with the membership: joining again does not restore them', async () => {
    const team = await aTeam(service, { admins: 1 });
    const person = await aSignedInPerson(service, team, { role: 'admin' });
    const { access } = await connect(person, team);
    const assistant = await anAssistant(service, access);
    expect(await assistant.toolNames()).toContain('find_member');
    await team.client.patch(`/users/${person.memberId}`, { role: 'member' });
    expect(await assistant.toolNames()).not.toContain('find_member');
    await removeMember(await team.acting(), person.memberId);
    expect(await statusOf(access)).toBe(401);
    await addActivePerson(await team.acting(), { email: person.email, role: 'admin', rights: [], name: 'Back' });
    expect(await statusOf(access)).toBe(401);
  });

  it('are valid in one team: ids of another one, even of the same person, find nothing', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const person = await aSignedInPerson(service, team, { role: 'admin' });
    await addActivePerson(await other.acting(), { email: person.email, role: 'admin', rights: [], name: 'Both' });
    const { member } = await aCoachedTeam(service, other);
    const assistant = await anAssistant(service, (await connect(person, team)).access);
    expect(await assistant.call('member_evaluations', { member_id: member.id })).toMatchObject({
      isError: true,
      data: { code: 'not_found' },
    });
    expect((await assistant.call('find_member')).texts.join()).not.toContain(member.email);
  });

  it('cover what the tools need, and nothing else', () => {
    const needed = new Set(allTools.flatMap(({ scopes }) => scopes));
    expect(assistantScopes.toSorted()).toEqual(allScopes.filter((scope) => needed.has(scope)).toSorted());
  });

  it('are limited like those of a key, and stop while the team may not use the API', async () => {
    const team = await aTeam(service);
    const { access } = await connect(await aSignedInPerson(service, team, { role: 'admin' }), team);
    await team.change({ status: 'suspended' });
    expect(await statusOf(access)).toBe(403);
    await team.change({ status: 'active' });
    expect(await statusOf(access)).toBe(200);
    const { personId } = await service.database.prisma.assistantConnection.findFirstOrThrow({
      where: { tenantId: team.id },
    });
    // With the two calls above, one is left.
    const count = limits.requestsPerKeyPerMinute - 3;
    await countTries(service, { what: 'assistants of', whom: personId, seconds: 60, count });
    expect([await statusOf(access), await statusOf(access)]).toEqual([200, 429]);
  });
});

describe('the assistants of a team', () => {
  it('have its limit of a minute together, and those of another team another one', async () => {
    const [team, other] = [await aTeam(service, { rateLimit: 3 }), await aTeam(service)];
    const people = [await aSignedInPerson(service, team), await aSignedInPerson(service, team)];
    const [one, two] = [
      await connect(people[0] ?? expect.fail(), team),
      await connect(people[1] ?? expect.fail(), team),
    ];
    const statuses = [];
    for (const { access } of [one, two, one, two, one]) statuses.push(await statusOf(access));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(await statusOf((await connect(await aSignedInPerson(service, other), other)).access)).toBe(200);
  });
});

describe('signing out everywhere', () => {
  it('ends the access of assistants in every team, with an audit entry, unless the person keeps them', async () => {
    const team = await aTeam(service);
    const person = await aSignedInPerson(service, team);
    const { access } = await connect(person, team);
    const signOut = (input: object) => person.browser.mutate('entrance/account.signOutEverywhere', input);
    expect((await signOut({ keep_assistants: true })).status).toBe(200);
    expect(await person.browser.isSignedIn()).toBe(false);
    expect(await statusOf(access)).toBe(200);

    await person.browser.signIn(person.email, testPassword);
    expect((await signOut({})).status).toBe(200);
    expect(await statusOf(access)).toBe(401);
    const entries = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: 'assistant.disconnected' },
    });
    expect(entries).toMatchObject([{ data: { reason: 'signed_out_everywhere' } }]);
  });
});

describe('a token', () => {
  it('that we did not make is never looked up', async () => {
    const team = await aTeam(service);
    const { access } = await connect(await aSignedInPerson(service, team), team);
    const [, body = '', signature = ''] = /^(.*)\.(.*)$/.exec(access) ?? [];
    expect(await statusOf(access)).toBe(200);
    const lookUp = vi.spyOn(connections, 'get');
    onTestFinished(() => lookUp.mockRestore());
    for (const forged of [body, `${body}.`, `${body}x.${signature}`, `svca_${'B'.repeat(43)}.${signature}`]) {
      expect(await statusOf(forged)).toBe(401);
    }
    expect(lookUp).not.toHaveBeenCalled();
    expect(await statusOf(access)).toBe(200);
    expect(lookUp).toHaveBeenCalledOnce();
  });

  it('is stored only as a hash', async () => {
    const team = await aTeam(service);
    const { access, refresh, grant } = await connect(await aSignedInPerson(service, team), team);
    const row = await service.database.prisma.assistantConnection.findFirstOrThrow({ where: { tenantId: team.id } });
    const stored = JSON.stringify(row, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    for (const secret of [access, refresh, grant.code]) expect(stored).not.toContain(secret.slice(-43));
  });

  it('is replaced by a refresh, and the former access token ends', async () => {
    const team = await aTeam(service);
    const { clientId, access, refresh } = await connect(await aSignedInPerson(service, team), team);
    const { body } = await refreshed(clientId, refresh);
    expect(body['access_token']).not.toBe(access);
    expect(body['refresh_token']).not.toBe(refresh);
    expect(await statusOf(access)).toBe(401);
    expect(await statusOf(String(body['access_token']))).toBe(200);
  });

  describe('for refreshing that comes again', () => {
    const boundMs = assistantLimits.retrySeconds * 1_000;

    /** A connection that was refreshed once, in a clock that stands still. */
    const aRefreshed = async () => {
      const team = await aTeam(service);
      const person = await aSignedInPerson(service, team);
      const { clientId, refresh } = await connect(person, team);
      service.clock.stop();
      onTestFinished(() => service.clock.set(new Date()));
      const { body, status } = await refreshed(clientId, refresh);
      expect(status).toBe(200);
      const again = () => refreshed(clientId, refresh);
      return { team, person, clientId, refresh, body, again, access: String(body['access_token']) };
    };

    const refusal = { status: 400, body: { error: 'invalid_grant' } };

    it.each([
      ['at once', 0],
      ['until the last moment', boundMs - 1],
    ])('gets the same answer %s, as often as it comes', async (_, passed) => {
      const { body, again, access } = await aRefreshed();
      service.clock.forward(passed);
      const left = Math.floor((assistantLimits.accessMinutes * 60_000 - passed) / 1_000);
      for (let time = 0; time < 2; time += 1) {
        expect(await again()).toMatchObject({ status: 200, body: { ...body, expires_in: left } });
      }
      expect(await statusOf(access)).toBe(200);
    });

    it.each([
      ['from then on', boundMs],
      ['much later', minutesToMs(assistantLimits.accessMinutes) - 1],
    ])('ends the connection %s', async (_, passed) => {
      const { body, clientId, again, access } = await aRefreshed();
      service.clock.forward(passed);
      expect(await statusOf(access)).toBe(200);
      expect(await again()).toMatchObject(refusal);
      expect(await statusOf(access)).toBe(401);
      expect(await refreshed(clientId, String(body['refresh_token']))).toMatchObject(refusal);
    });

    it('ends the connection at once if the new one was used already', async () => {
      const { body, clientId, again } = await aRefreshed();
      const next = await refreshed(clientId, String(body['refresh_token']));
      expect(next.status).toBe(200);
      expect(await again()).toMatchObject(refusal);
      expect(await statusOf(String(next.body['access_token']))).toBe(401);
    });

    it('gets nothing for another client, and nothing while the person may not enter the team, and stays connected', async () => {
      const { team, body, refresh, again, access } = await aRefreshed();
      const other = String((await register({ client_name: 'Ein anderer' })).body['client_id']);
      expect(await refreshed(other, refresh)).toMatchObject(refusal);
      expect(await statusOf(access)).toBe(200);
      await demandSignIn(await team.acting(), { demand: 'second_factor' }, 'operator');
      expect(await again()).toMatchObject(refusal);
      await demandSignIn(await team.acting(), { demand: 'none' }, 'operator');
      expect(await again()).toMatchObject({ status: 200, body });
    });

    it('gets nothing after the membership has ended', async () => {
      const { team, person, again } = await aRefreshed();
      expect((await team.client.delete(`/users/${person.memberId}`)).status).toBe(200);
      expect(await again()).toMatchObject(refusal);
    });

    it('gets the same answer as the one that comes at the same moment', async () => {
      const team = await aTeam(service);
      const { clientId, refresh } = await connect(await aSignedInPerson(service, team), team);
      // Both requests read the connection before one of them replaces its tokens.
      const { rotate } = connections;
      const bothHaveRead = Promise.withResolvers<void>();
      let read = 0;
      const spy = vi.spyOn(connections, 'rotate').mockImplementation(async (...given) => {
        read += 1;
        if (read === 2) bothHaveRead.resolve();
        await bothHaveRead.promise;
        return rotate(...given);
      });
      onTestFinished(() => spy.mockRestore());
      const [one, other] = await Promise.all([refreshed(clientId, refresh), refreshed(clientId, refresh)]);
      expect(one).toMatchObject({ status: 200, body: { refresh_token: other.body['refresh_token'] } });
      expect(other).toMatchObject({ status: 200, body: { access_token: one.body['access_token'] } });
      expect(await statusOf(String(one.body['access_token']))).toBe(200);
    });
  });

  it('ends after an hour, however long its connection lasts; a refresh gives the next one', async () => {
    const team = await aTeam(service);
    const { clientId, access, refresh } = await connect(await aSignedInPerson(service, team), team);
    onTestFinished(() => service.clock.set(new Date()));
    service.clock.forward(minutesToMs(assistantLimits.accessMinutes) - 60_000);
    expect(await statusOf(access)).toBe(200);
    service.clock.forward(60_000);
    expect(await statusOf(access)).toBe(401);
    const { body } = await refreshed(clientId, refresh);
    expect(await statusOf(String(body['access_token']))).toBe(200);
  });

  it('is issued for a code once, to the assistant that requested it, within two minutes; a code used again ends the connection', async () => {
    const team = await aTeam(service);
    const person = await aSignedInPerson(service, team);
    const { access, grant } = await connect(person, team);
    expect(await postForm('/oauth/token', grant)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await statusOf(access)).toBe(401);

    const clientId = await aClientId();
    const { verifier, challenge } = aProof();
    const url = await consent(person, team, requestOf(clientId, challenge));
    const valid = { ...grant, client_id: clientId, code: url.searchParams.get('code') ?? '', code_verifier: verifier };
    for (const wrong of [
      { code_verifier: aProof().verifier },
      { client_id: String((await register({ client_name: 'Ein anderer' })).body['client_id']) },
      { redirect_uri: 'http://127.0.0.1:45678/' },
      { code: `${valid.code}x` },
    ]) {
      expect(await postForm('/oauth/token', { ...valid, ...wrong })).toMatchObject({
        body: { error: 'invalid_grant' },
      });
    }
    expect(await postForm('/oauth/token', { ...valid, resource: 'https://other.example/mcp' })).toMatchObject({
      body: { error: 'invalid_target' },
    });
    const both = await Promise.all([postForm('/oauth/token', valid), postForm('/oauth/token', valid)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    // The one that lost was the second use.
    const { access_token: won } = both.find(({ status }) => status === 200)?.body ?? {};
    expect(await statusOf(String(won))).toBe(401);

    const late = await consent(person, team, requestOf(clientId, challenge));
    service.clock.forward(assistantLimits.codeSeconds * 1_000 + 1);
    const tooLate = { ...valid, code: late.searchParams.get('code') ?? '' };
    expect(await postForm('/oauth/token', tooLate)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('ends when its assistant revokes it, with a new password, and after a month without use', async () => {
    const team = await aTeam(service);
    const person = await aSignedInPerson(service, team);
    const { access, refresh } = await connect(person, team);
    expect(await postForm('/oauth/revoke', { token: refresh })).toMatchObject({ status: 200 });
    expect(await statusOf(access)).toBe(401);

    const second = await connect(person, team);
    await person.browser.mutate('entrance/account.changePassword', {
      current: testPassword,
      password: 'another long password',
    });
    expect(await statusOf(second.access)).toBe(401);

    const third = await connect(person, team);
    service.clock.forward(assistantLimits.refreshDays * 86_400_000 + 1_000);
    expect(await refreshed(third.clientId, third.refresh)).toMatchObject({ status: 400 });
    await deleteExpiredConnections(service.platform);
    expect(await service.database.prisma.assistantConnection.count({ where: { tenantId: team.id } })).toBe(0);
  });
});

describe('a registration', () => {
  it('accepts only addresses with HTTPS and on the own machine, and stores no row', async () => {
    for (const uri of [
      'https://claude.ai/api/mcp/auth_callback',
      'http://localhost:3118/callback',
      'http://[::1]:80/a?b=c',
    ]) {
      expect(await register({ redirect_uris: [uri] })).toMatchObject({
        status: 201,
        body: { redirect_uris: [uri], token_endpoint_auth_method: 'none' },
      });
    }
    for (const uri of [
      'http://evil.example/',
      'https://a.example/#x',
      'https://u:p@a.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'cursor://x',
      '/callback',
      `https://a.example/${'a'.repeat(600)}`,
    ]) {
      expect(await register({ redirect_uris: [redirectUri, uri] })).toMatchObject({
        status: 400,
        body: { error: 'invalid_redirect_uri' },
      });
    }
    expect(await register({ redirect_uris: [] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
    const many = (length: number) => Array.from({ length }, (_, at) => `${redirectUri}?${at}`);
    expect((await register({ redirect_uris: many(10) })).status).toBe(201);
    expect(await register({ redirect_uris: many(11) })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
  });

  it.each([
    ['a name on one line', ' Ein Assistent ', 'Ein Assistent'],
    ['a name of 80 characters', '🤖'.repeat(80), '🤖'.repeat(80)],
    ['a longer name', 'x'.repeat(81), '127.0.0.1'],
    ['a name that changes the direction of writing', 'a\u202Eb', '127.0.0.1'],
    ['a name of two lines', 'a\nb', '127.0.0.1'],
    ['a blank name', ' ', '127.0.0.1'],
    ['no name', undefined, '127.0.0.1'],
  ])('with %s is shown by its name, or else by the host of its address', async (_what, client_name, shown) => {
    expect((await register({ client_name })).body['client_name']).toBe(shown);
  });

  it('is limited for each network', async () => {
    const own = await startTestService({ own: true });
    try {
      const statuses = await Promise.all(
        Array.from(
          { length: assistantLimits.requestsPerNetworkPerMinute + 1 },
          async () => (await fetch(`${own.origin}/oauth/register`, { method: 'POST', body: '{}' })).status,
        ),
      );
      expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    } finally {
      await own.close();
    }
  });
});

describe('a consent', () => {
  let team: TestTeam;
  let person: SignedInPerson;
  beforeAll(async () => {
    team = await aTeam(service);
    person = await aSignedInPerson(service, team);
  });

  it('is possible for valid requests only, and redirects nowhere else', async () => {
    const clientId = await aClientId();
    const request = requestOf(clientId, aProof().challenge);
    for (const [field, value] of Object.entries({
      client_id: `${clientId.slice(0, -2)}xx`,
      redirect_uri: 'https://evil.example/',
      response_type: 'token',
      code_challenge_method: 'plain',
      code_challenge: 'short',
      resource: 'https://other.example/mcp',
    })) {
      const wrong = { ...request, [field]: value };
      const asked = await person.browser.query('entrance/assistants.question', wrong);
      expect(asked.data).toEqual({ question: null, wrong: field });
      const given = await person.browser.mutate('entrance/assistants.connect', { ...wrong, tenant_id: team.id });
      expect(given.problem).toMatchObject({ code: 'validation_error', field });
    }
    const { data } = await person.browser.query('entrance/assistants.question', request);
    const { declined_to: declinedTo } = z.object({ declined_to: z.string() }).loose().parse(data['question']);
    const declined = new URL(declinedTo);
    expect(Object.fromEntries(declined.searchParams)).toEqual({
      error: 'access_denied',
      state: 'a state',
      iss: publicUrl,
    });
  });

  it.each([
    ['an empty one', { state: '' }, ''],
    ['none', { state: undefined }, null],
  ])('is answered with the state of the request, also with %s', async (_what, more, state) => {
    const request = { ...requestOf(await aClientId(), aProof().challenge), ...more };
    const { data } = await person.browser.query('entrance/assistants.question', request);
    const { declined_to: declinedTo } = z.object({ declined_to: z.string() }).loose().parse(data['question']);
    expect(new URL(declinedTo).searchParams.get('state')).toBe(state);
    expect((await consent(person, team, request)).searchParams.get('state')).toBe(state);
  });

  it('is for a team of the person that can use the API', async () => {
    const request = requestOf(await aClientId(), aProof().challenge);
    const other = await aTeam(service);
    const basic = await aTeam(service);
    await basic.change({ plan: 'basic' });
    await addActivePerson(await basic.acting(), { email: person.email, role: 'admin', rights: [], name: 'Basic' });
    const connectTo = ({ id }: TestTeam) =>
      person.browser.mutate('entrance/assistants.connect', { ...request, tenant_id: id });
    expect((await connectTo(other)).problem).toMatchObject({ code: 'not_found' });
    expect((await connectTo(basic)).problem).toMatchObject({ code: 'api_disabled' });
  });

  it('can be withdrawn only by the person who gave it', async () => {
    await connect(person, team);
    const admin = await aSignedInPerson(service, team, { role: 'admin' });
    const { data } = await person.browser.query('entrance/assistants.list');
    const [{ id } = { id: '' }] = z
      .object({ assistants: z.array(z.object({ id: z.string() })) })
      .parse(data).assistants;
    expect((await admin.browser.mutate('entrance/assistants.disconnect', { connection_id: id })).problem).toMatchObject(
      { code: 'not_found' },
    );
  });
});
