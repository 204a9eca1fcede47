import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeId } from '../../src/core/ids.ts';
import type { ProblemCode } from '../../src/core/problem.ts';
import { allScopes } from '../../src/core/scopes.ts';
import {
  apiKeyProcedure,
  keyRouter,
  memberProcedure,
  personProcedure,
  route,
  wholePersonRouter,
  type Operation,
} from '../../src/platform/trpc/procedures.ts';
import { startTestApi } from '../rest/test-api.ts';
import { anAssignment, aCase, aScoredTraining } from '../support/practice.ts';
import { makeClient, type Client } from '../support/client.ts';
import { operationInputs, parametersOf, calledOperations, type CalledOperation } from '../support/operations.ts';
import { aSignedInPerson } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aDelivery, anEndpoint } from '../support/webhooks.ts';

// An operation has one execution, its tRPC procedure. REST and /trpc call it, so their answers are equal. The list
// comes from the router.
const reads = calledOperations().filter(({ openapi }) => openapi.method === 'GET');
const rows = reads.map((read) => [read.title, read] as const);

const service = await useTestService();
const team = await aTeam(service, { members: 2 });
const admin = (await aSignedInPerson(service, team, { role: 'admin' })).browser;
const member = (await aSignedInPerson(service, team)).browser;
const { id: member_id = '', user_id } = team.members[0] ?? {};
const userId = user_id ?? '';
const endpoint_id = await anEndpoint(service, team);
const delivery_id = await aDelivery(service, team, { endpointId: endpoint_id, status: 'failed' });
const { idsOf, idOf } = operationInputs(service);
/** Objects with more values than those of other tests, and an endpoint with a delivery. */
const full: Readonly<Record<string, string>> = {
  member_id,
  endpoint_id,
  delivery_id,
  assignment_id: await anAssignment(service, team, { memberId: member_id }),
  training_id: await aScoredTraining(service, team, { userId }),
  case_id: await aCase(service, team, { userId, fields: { employees: 12 }, externalRef: { crm: 'deal' } }),
};
const ids: Record<string, string> = {};
for (const parameter of Object.keys(idsOf)) ids[parameter] = full[parameter] ?? (await idOf(parameter, team));

type Input = Record<string, string | number>;

/** The same read over REST and over /trpc. */
const both = async (read: Operation, input: Input, { client = team.client, browser = admin, of = team } = {}) => {
  let path: string = read.openapi.path;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value));
    else query.set(name, String(value));
  }
  const rest = await client.get(query.size === 0 ? path : `${path}?${query.toString()}`);
  return { rest, app: await browser.query(`api/${read.name}`, input, { team: of.id }) };
};

/** A flaw without its sentence and without the part of the request in which it is: a call of the app has no parts. */
const withoutText = ({ in: _part, message: _message, ...flaw }: Record<string, unknown>) => flaw;

/** A problem without its sentences, which the app writes for people in their language, and without its request. */
const essence = ({
  type: _type,
  title: _title,
  detail: _detail,
  request_id: _id,
  errors,
  ...members
}: Record<string, unknown>) => ({
  ...members,
  ...(Array.isArray(errors) && { errors: errors.map(withoutText) }),
});

const expectSameProblem = async (code: ProblemCode, ...call: Parameters<typeof both>): Promise<void> => {
  const { rest, app } = await both(...call);
  expect(rest.body['code']).toBe(code);
  expect(essence(app.problem)).toEqual(essence(rest.body));
  expect(app.status).toBe(rest.status);
};

const inputOf = (read: CalledOperation, { known }: { known: boolean }): Input => ({
  ...Object.fromEntries(parametersOf(read).map((name) => [name, known ? (ids[name] ?? '') : makeId()])),
  ...read.query,
});

/** The same answer a moment later: the cursor of an export has the time of its start. */
const shownTwice = ({ operation }: Operation, body: Record<string, unknown>) =>
  operation.streamed ? { ...body, cursor: expect.any(String) } : body;

describe.each(rows)('%s', (_route, read) => {
  it('gives the same answer over REST and in the app', async () => {
    const { rest, app } = await both(read, inputOf(read, { known: true }));
    expect(rest.status).toBe(200);
    expect(app.data).toEqual(shownTwice(read, rest.body));
  });

  it.runIf(parametersOf(read).length > 0)('gives the same problem for an unknown id', async () => {
    await expectSameProblem('not_found', read, inputOf(read, { known: false }));
  });
});

it('gives the same problem without its scope, before it checks the input', async () => {
  const read = reads.find(({ people }) => people === 'admin') ?? expect.fail('no route for admins alone');
  const client = await team.aClient({ scopes: allScopes.filter((scope) => scope !== read.scopes[0]) });
  const input = { ...inputOf(read, { known: true }), mistyped: 'x' };
  await expectSameProblem('insufficient_scope', read, input, { client, browser: member });
});

it.each([{ mistyped: 'x' }, { limit: 0 }])('gives the same problem for a list with %j', async (flaw) => {
  const list = reads.find(({ input }) => 'limit' in input.shape) ?? expect.fail('no list');
  await expectSameProblem('validation_error', list, { ...inputOf(list, { known: true }), ...flaw });
});

it('gives the same problem, or hides the same fields, while member details are off', async () => {
  const hiding = await aTeam(service, { memberDetail: false });
  const { browser } = await aSignedInPerson(service, hiding, { role: 'admin' });
  const endpoint_id = await anEndpoint(service, hiding);
  const delivery_id = await aDelivery(service, hiding, { endpointId: endpoint_id, status: 'failed' });
  const own: Readonly<Record<string, string>> = { endpoint_id, delivery_id };
  for (const read of reads) {
    const input = inputOf(read, { known: true });
    for (const parameter of parametersOf(read)) input[parameter] = own[parameter] ?? (await idOf(parameter, hiding));
    const call = { client: hiding.client, browser, of: hiding };
    if (read.privacy) await expectSameProblem('privacy_restricted', read, input, call);
    else {
      const { rest, app } = await both(read, input, call);
      expect(app.data).toEqual(shownTwice(read, rest.body));
    }
  }
});

it('refuses text that the database can’t store, in the app too', async () => {
  const answer = await admin.mutate(
    'api/members.invite',
    { email: 'a@example.com', role: 'member\0' },
    { team: team.id },
  );
  const errors = [expect.objectContaining({ code: 'invalid_text', path: ['role'] })];
  expect(answer.problem).toMatchObject({ code: 'validation_error', errors });
});

describe('an execution', () => {
  /** Counts how often a schema checks a value. */
  const counted = () => {
    let times = 0;
    const text = z.string().refine(() => (times += 1) > 0);
    return { text, times: () => times };
  };

  const anOperation = () => {
    const [input, output] = [counted(), counted()];
    const about = {
      operationId: 'countExecutions',
      scope: null,
      summary: 'For a test',
      description: 'An operation that only a test has.',
      example: { output: { text: 'x' } },
    };
    const [Input, Output] = [z.strictObject({ text: input.text }), z.object({ text: output.text })];
    const made = keyRouter({
      read: apiKeyProcedure
        .meta(route('GET /read/{text}', about))
        .input(Input)
        .output(Output)
        .query(({ input: { text } }) => ({ text })),
      write: apiKeyProcedure
        .meta(route('POST /write', about))
        .input(Input)
        .output(Output)
        .mutation(({ ctx, input: { text } }) => ctx.once(async () => ({ text }))),
    });
    return { router: made, times: () => [input.times(), output.times()] };
  };

  const overRest = async (call: (client: Client) => Promise<{ status: number }>) => {
    const { router: made, times } = anOperation();
    const testApi = await startTestApi(service, { router: made });
    try {
      expect((await call(makeClient(testApi.baseUrl, (await team.aKey()).text))).status).toBe(200);
    } finally {
      await testApi.close();
    }
    return times();
  };

  it('parses input and output once over REST, for reads, writes and writes with an idempotency key', async () => {
    expect(await overRest((client) => client.get('/read/x'))).toEqual([1, 1]);
    expect(await overRest((client) => client.post('/write', { text: 'x' }))).toEqual([1, 1]);
    const headers = { 'Idempotency-Key': makeId() };
    expect(await overRest((client) => client.post('/write', { text: 'x' }, { headers }))).toEqual([1, 1]);
  });

  it('parses input and output once when tRPC calls it', async () => {
    const { router: made, times } = anOperation();
    const caller = made.createCaller({
      principal: { kind: 'person', scopes: new Set() },
      language: 'en',
      team: await team.acting(),
    });
    expect(await caller.read({ text: 'x' })).toEqual({ text: 'x' });
    expect(times()).toEqual([1, 1]);
    expect(await caller.write({ text: 'x' })).toEqual({ text: 'x' });
    expect(times()).toEqual([2, 2]);
  });
});

describe('a router', () => {
  const text = z.object({ text: z.string() });
  const act = () => ({ text: 'x' });

  it('refuses a procedure without metadata, which would be open to everybody', () => {
    const nobodys = { read: apiKeyProcedure.input(z.strictObject({})).output(text).query(act) };
    expect(() => keyRouter(nobodys)).toThrow('no metadata');
    expect(() =>
      wholePersonRouter({ read: personProcedure.input(z.strictObject({})).output(text).query(act) }),
    ).toThrow('no metadata');
  });

  it('refuses a procedure without an input or an output', () => {
    expect(() => wholePersonRouter({ read: memberProcedure.output(text).query(act) })).toThrow('needs an .input');
    expect(() => wholePersonRouter({ read: memberProcedure.input(z.strictObject({})).query(act) })).toThrow(
      'an .output',
    );
  });

  it('refuses two operations with the same metadata and different answers', () => {
    const about = { operationId: 'read', scope: null, summary: 'x', description: 'x', example: { output: {} } };
    const one = apiKeyProcedure.meta(route('GET /read', about)).input(z.strictObject({}));
    const read = one.output(text).query(act);
    expect(() => keyRouter({ read, other: one.output(text.extend({})).query(act) })).toThrow('shares its metadata');
  });
});

it('the types refuse a procedure for persons without a need', () => {
  // @ts-expect-error `needs` is missing. Types are what refuses it: it is never called.
  const made = () => personProcedure.meta({ freshProof: true });
  expect(made).toBeTypeOf('function');
});

it('a procedure without metadata that is in no router refuses every call', async () => {
  const open = apiKeyProcedure
    .input(z.strictObject({}))
    .output(z.object({ text: z.string() }))
    .query(() => ({ text: 'x' }));
  const ctx = { principal: { kind: 'key', scopes: new Set(allScopes) }, language: 'en', team: await team.acting() };
  const call = open({ path: 'x', type: 'query', ctx, getRawInput: async () => ({}), signal: undefined, batchIndex: 0 });
  await expect(call).rejects.toThrow('no metadata');
});
