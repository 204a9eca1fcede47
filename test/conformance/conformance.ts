import process from 'node:process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { makeClient, type Answer } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { aWorld, type World } from '../support/world.ts';
import { breakingsOf, type BrokenRequest } from './broken-requests.ts';
import { expectCovered, note, noCoverage, summaryOf, type Coverage } from './coverage.ts';
import { readDescribedApi, type DescribedApi, type DescribedOperation } from './described-api.ts';
import { judgeAnswer, judgeBroken, judgeSeparate, judgeValid } from './judge.ts';
import { knownValues } from './known-values.ts';
import { plannedRequest, writeRequest, type PlannedRequest } from './request.ts';
import { makeSender, type Sender } from './sender.ts';
import { makeValidator, type Validator } from './validator.ts';

// Random requests, generated only from the document that the service serves: half of them are valid, the others have
// one error.

/** The number of requests for each operation, and the seed of the generator. CONFORMANCE_SEED replaces both seeds. */
export const conformanceRuns = {
  quick: { requestsEach: 10, seed: 20_261_120, expectsEveryProblem: false },
  thorough: { requestsEach: 60, seed: 20_261_121, expectsEveryProblem: true },
} as const;

type Run = (typeof conformanceRuns)[keyof typeof conformanceRuns];

/** The number of concurrent requests. */
const lanes = 8;

let service: TestService;
let api: DescribedApi;
let validator: Validator;
let sender: Sender;
let others: World;
/** For all operations that only read. */
let unchanged: World;

/** A world with enough objects for all the requests that change or use them up. */
const worldFor = async ({ method }: DescribedOperation, requests: number): Promise<World> => {
  if (method === 'GET') return unchanged;
  const more = Math.min(30, requests);
  return aWorld(service, { more: method === 'DELETE' ? Math.max(more, requests / 2) : more });
};

const described = (route: string): DescribedOperation => {
  const operation = api.operations.find((one) => one.route === route);
  if (!operation) throw new Error(`the document lacks ${route}`);
  return operation;
};

/** The values that the document allows, according to a separate validator. */
const expectAllowed = ({ inQuery, ...operation }: DescribedOperation, { query, body }: PlannedRequest): void => {
  expect(validator.allowsBody({ inQuery, ...operation }, body), 'the generator obeys the document').toBe(true);
  for (const parameter of inQuery) {
    const value = query[parameter.name];
    if (value !== undefined) expect(validator.allowsText(parameter, value), parameter.name).toBe(true);
  }
};

const pickOf = <T>(items: readonly T[], at: number): T => {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('there is no way to break it');
  return item;
};

const nextCursor = (answer: Answer): string | undefined => {
  // An export has a cursor at its end.
  const cursor = answer.status === 200 ? (answer.body['next_cursor'] ?? answer.body['cursor']) : undefined;
  return typeof cursor === 'string' ? cursor : undefined;
};

const hammer = async (operation: DescribedOperation, { requestsEach, seed: usualSeed }: Run): Promise<Coverage> => {
  const coverage = noCoverage();
  const world = await worldFor(operation, requestsEach);
  const requests = plannedRequest(operation, api, knownValues(world, others));
  const breakings = breakingsOf(operation, api, validator);

  const send = async (planned: PlannedRequest, broken?: BrokenRequest) => {
    const requestId = makeId();
    const request = broken?.request ?? writeRequest(operation, planned);
    const answer = await sender.send(world, request, requestId);
    try {
      judgeAnswer(operation, answer, requestId);
      if (broken) judgeBroken(broken, answer);
      else judgeValid(planned, answer, world);
      if (operation.method === 'GET') judgeSeparate(answer, others);
    } catch (error) {
      const body = typeof request.body === 'string' ? request.body.slice(0, 2_000) : '';
      const asked = `${broken?.flaw ?? 'valid'}\n${request.method} ${request.target}\n${body}`;
      throw new Error(`${asked}\n→ ${answer.status} ${answer.text.slice(0, 2_000)}\n${String(error)}`, {
        cause: error,
      });
    }
    note(coverage, answer);
    return answer;
  };

  const property = fc.asyncProperty(requests, fc.boolean(), fc.nat(), fc.nat(), async (planned, breaks, where, how) => {
    expectAllowed(operation, planned);
    if (breaks) {
      await send(planned, pickOf(pickOf(breakings, where)(planned), how));
      return;
    }
    const cursor = nextCursor(await send(planned));
    if (cursor === undefined) return;
    const next = await send({ ...planned, query: { ...planned.query, cursor } });
    expect(next.status, 'a page leads to the next').toBe(200);
    if (operation.inPath.length === 0) {
      const request = writeRequest(operation, { ...planned, query: { ...planned.query, cursor } });
      const elsewhere = await sender.send(others, request, makeId());
      expect(elsewhere, 'a cursor is one of its team').toBeProblem('validation_error', { field: 'cursor' });
    }
    coverage.followed += 1;
  });
  const seed = Number(process.env['CONFORMANCE_SEED'] ?? usualSeed);
  const numRuns = Math.ceil(requestsEach / lanes);
  const runs = Array.from({ length: lanes }, (_, lane) => fc.assert(property, { numRuns, seed: seed + lane * 7_919 }));
  const failed = (await Promise.allSettled(runs)).find((run) => run.status === 'rejected');
  if (failed) throw failed.reason;
  return coverage;
};

/** Declares the tests of the document with so many requests. */
export const describeConformance = (run: Run): void => {
  describe('the document and the service', () => {
    beforeAll(async () => {
      service = await startTestService({ environment: { SIGN_IN_RATE_PER_MIN: '100000' } });
      api = readDescribedApi((await makeClient(service.baseUrl).get('/openapi.v1.json')).text);
      validator = makeValidator(api);
      sender = makeSender(service, lanes);
      others = await aWorld(service, { more: 4 });
      unchanged = await aWorld(service, { more: 30 });
    });
    afterAll(async () => {
      await sender.close();
      await service.close();
    });

    const routes = operationsOf(publicRouter).map(({ operation }) => operation.route);

    it.each(routes)(
      '%s: what the document allows is understood, what it forbids is refused, and every answer is described',
      async (route) => {
        const operation = described(route);
        const coverage = await hammer(operation, run);
        if (process.env['CONFORMANCE_SEED'] !== undefined) process.stdout.write(`${route}  ${summaryOf(coverage)}\n`);
        expectCovered(operation, coverage, run);
      },
    );
  });
};
