import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { limits } from '../../src/core/limits.ts';
import { problemCodes } from '../../src/core/problem.ts';
import { allScopes } from '../../src/core/scopes.ts';
import type { Operation } from '../../src/platform/trpc/procedures.ts';
import { makeClient, type Client } from '../support/client.ts';
import { spend, teamBudget } from '../support/budgets.ts';
import { hasClosedCells } from '../support/postgres.ts';
import { expectDescribed } from '../support/document.ts';
import { operationInputs, parametersOf, pathFor, withQuery, calledOperations } from '../support/operations.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { forgetful, withoutTenantFilters } from '../support/without-tenant-filters.ts';

// Every rule here is checked for every operation, including new ones: the list comes from the router.
const rows = calledOperations().map((operation) => [operation.title, operation] as const);

/**
 * A team with an object for each parameter of a path, for calls that change nothing: those that are refused or only
 * read.
 */
interface StillTeam {
  readonly team: TestTeam;
  readonly idFor: (parameter: string) => Promise<string>;
}
const service = await useTestService();
const { idsOf, idOf, bodyFor } = operationInputs(service);

const aStillTeam = async (options: { memberDetail?: false } = {}): Promise<StillTeam> => {
  const team = await aTeam(service, { admins: 1, seats: 1_000, ...options });
  const ids = new Map<string, string>();
  for (const parameter of Object.keys(idsOf)) ids.set(parameter, await idOf(parameter, team));
  return { team, idFor: async (parameter) => ids.get(parameter) ?? idOf(parameter, team) };
};

const still = await aStillTeam();
const withoutDetails = await aStillTeam({ memberDetail: false });
const limited = await aTeam(service, { rateLimit: 1 });

/** Also checks every answer of this file against the OpenAPI document. `team`: the team whose ids the body has. */
const call = async (client: Client, operation: Operation, path: string, team?: TestTeam) => {
  const body = await bodyFor(operation, team);
  const answer = await client.request(operation.openapi.method, path, body && { body });
  expectDescribed(operation, answer);
  return answer;
};

describe.each(rows)('%s', (_route, operation) => {
  const row = operation.operation;

  it('succeeds with exactly its scopes, and shows the four headers of every answer', async () => {
    const team = await aTeam(service, { admins: 1 });
    const client = await team.aClient({
      scopes: operation.scopes.length === 0 ? ['catalog:read'] : [...operation.scopes],
    });
    const answer = await call(client, operation, await pathFor(operation, (parameter) => idOf(parameter, team)), team);
    expect(answer.status).toBe(row.status);
    expect(operation.output.strict().safeParse(answer.body).error).toBeUndefined();
    expect(answer.headers.has('location')).toBe(row.located === true);
    for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
      expect(answer.headers.get(name)).toBeTruthy();
    }
  });

  it.runIf(operation.openapi.method === 'POST')(
    'runs once for an Idempotency-Key, and gives the same answer again',
    async () => {
      const team = await aTeam(service, { admins: 1 });
      const path = await pathFor(operation, (parameter) => idOf(parameter, team));
      const body = await bodyFor(operation, team);
      const send = () => team.client.post(path, body, { headers: { 'Idempotency-Key': 'once' } });
      const [first, second] = [await send(), await send()];
      expect([first.status, second.status]).toEqual([row.status, row.status]);
      expect(second.text).toBe(first.text);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    },
  );

  it.runIf(operation.scopes.length > 0)(
    'answers 403 insufficient_scope if one of its scopes is missing, before privacy and any look-up',
    async () => {
      for (const missing of operation.scopes) {
        const scopes = allScopes.filter((scope) => scope !== missing);
        const refused = { required_scope: missing, detail: expect.any(String) };
        const client = await still.team.aClient({ scopes });
        const unknown = withQuery(await pathFor(operation, async () => makeId()), 'unknown=1');
        for (const path of [await pathFor(operation, still.idFor), unknown]) {
          expect(await call(client, operation, path)).toBeProblem('insufficient_scope', refused);
        }
        const hidden = await withoutDetails.team.aClient({ scopes });
        expect(await call(hidden, operation, unknown)).toBeProblem('insufficient_scope', refused);
      }
    },
  );

  it('answers 403 privacy_restricted while member details are off, or hides personal fields', async () => {
    const changes = !operation.privacy && operation.openapi.method !== 'GET';
    const team = changes ? await aTeam(service, { admins: 1, memberDetail: false }) : withoutDetails.team;
    const path = await pathFor(operation, changes ? (parameter) => idOf(parameter, team) : withoutDetails.idFor);
    const answer = await call(team.client, operation, path, team);
    if (operation.privacy) {
      expect(answer).toBeProblem('privacy_restricted');
      const flawed = await call(team.client, operation, withQuery(path, 'unknown=1'), team);
      expect(flawed).toBeProblem('privacy_restricted');
    } else {
      expect(answer.status).toBe(row.status);
      expect(answer.text).not.toMatch(/@example\.com/);
    }
  });

  it('answers 404 not_found to ids of another team, unknown ones and other texts alike, and changes nothing of it, even if no statement names its team', async () => {
    const other = await aTeam(service, { admins: 1 });
    const path = await pathFor(operation, (parameter) => idOf(parameter, other));
    const body = await bodyFor(operation, other);
    const before = await other.client.get('/users');
    // A key of its own: there are more calls than one key may make in a minute.
    const client = await still.team.aClient();
    const takesId = parametersOf(operation).length > 0;
    if (takesId) {
      const foreign = await call(client, operation, path, still.team);
      expect(foreign).toBeProblem('not_found');
      for (const make of [makeId, () => 'nobody', () => 'x'.repeat(3_000)]) {
        const unknown = await pathFor(operation, async () => make());
        const answer = await call(client, operation, unknown, still.team);
        expect({ ...answer.body, request_id: '' }).toEqual({ ...foreign.body, request_id: '' });
      }
    }
    const answer = await withoutTenantFilters(() => client.request(operation.openapi.method, path, body && { body }));
    // Citus' planner refuses some statements without a team.
    if (takesId && !(hasClosedCells() && answer.status === 500)) expect(answer).toBeProblem('not_found');
    for (const id of [other.id, other.owner.member_id, other.owner.user_id]) expect(answer.text).not.toContain(id);
    expect((await other.client.get('/users')).text).toBe(before.text);
    expect((await call(other.client, operation, path, other)).status).toBe(row.status);
  });
});

describe('every operation', () => {
  it('is declared completely, and its example is valid', () => {
    for (const [title, { operation, openapi, procedure, input, output }] of rows) {
      const { summary, description, errors, example } = operation;
      expect(summary.length, title).toBeGreaterThan(5);
      expect(description.length, title).toBeGreaterThan(20);
      for (const code of errors) expect(problemCodes, title).toContain(code);
      expect(procedure._def.type, title).toBe(openapi.method === 'GET' ? 'query' : 'mutation');
      expect(output.parse(example.output), title).toEqual(example.output);
      expect(input.safeParse(example.input ?? {}).error, title).toBeUndefined();
    }
  });

  it('answers 401 unauthorized without a key', async () => {
    for (const [title, operation] of rows) {
      const path = await pathFor(operation, async () => makeId());
      expect(await call(makeClient(service.baseUrl), operation, path), title).toBeProblem('unauthorized');
    }
  });

  it('answers 429 rate_limited when a budget is used up', async () => {
    for (const [title, operation] of rows) {
      const path = await pathFor(operation, async () => makeId());
      await spend(service, teamBudget(limited.id), 1);
      const answer = await call(limited.client, operation, path);
      expect(answer, title).toBeProblem('rate_limited', { retry_after: Number(answer.headers.get('retry-after')) });
    }
  });

  it('with a body describes the answers to one that is too large and to a compressed one', async () => {
    const client = await still.team.aClient();
    for (const [title, operation] of rows.filter(([, { openapi }]) => ['POST', 'PATCH'].includes(openapi.method))) {
      const path = await pathFor(operation, still.idFor);
      for (const [status, options] of [
        [413, { body: ' '.repeat(limits.bodyBytes + 1) }],
        [415, { body: '{}', headers: { 'Content-Encoding': 'gzip' } }],
      ] as const) {
        const answer = await client.request(operation.openapi.method, path, options);
        expect(answer, title).toBeProblem('bad_request', { status });
        expectDescribed(operation, answer);
      }
    }
  });
});

describe('the statements without their condition on the team', () => {
  it('were many', () => expect(forgetful.size).toBeGreaterThan(20));
});
