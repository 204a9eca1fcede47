import { expect } from 'vitest';
import { z } from 'zod';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf, type Operation } from '../../src/platform/trpc/procedures.ts';
import { expectApiHeaders } from '../rest/api-headers.ts';
import type { Answer } from '../support/client.ts';
import { expectDescribed } from '../support/document.ts';
import type { World } from '../support/world.ts';
import type { BrokenRequest } from './broken-requests.ts';
import type { DescribedOperation } from './described-api.ts';
import type { PlannedRequest } from './request.ts';

const rows = new Map<string, Operation>(operationsOf(publicRouter).map((row) => [row.operation.route, row]));

const sentBody = z.record(z.string(), z.unknown());

export const codeOf = (answer: Answer): unknown => (answer.status < 400 ? undefined : answer.body['code']);

/** Checks that every answer must pass. */
export const judgeAnswer = ({ route }: DescribedOperation, answer: Answer, requestId: string): void => {
  const row = rows.get(route);
  if (!row) throw new Error(`the document has ${route}, the router does not`);
  expectDescribed(row, answer);
  expect(answer.status).toBeLessThan(500);
  expect([401, 429], 'the key is good and has a budget').not.toContain(answer.status);
  expectApiHeaders(answer);
  expect(answer.headers.get('x-request-id')).toBe(requestId);
  if (answer.status >= 400) {
    expect(answer.body['request_id']).toBe(requestId);
    expect(answer.body['status']).toBe(answer.status);
  }
};

/** Whether a field for an id has a value that is no id of the team. */
const isStrange = ({ ids }: World, name: string, value: unknown): boolean =>
  Object.hasOwn(ids, name) && value !== null && value !== undefined && !ids[name]?.some((id) => id === value);

const anyStrange = (world: World, values: unknown): boolean =>
  typeof values === 'object' &&
  values !== null &&
  Object.entries(values).some(([name, value]) => isStrange(world, name, value));

/**
 * A request that the document allows is never refused because of its format: only a rule that the schema can't express
 * may refuse it.
 */
export const judgeValid = ({ path, query, body }: PlannedRequest, answer: Answer, world: World): void => {
  if (codeOf(answer) === 'validation_error') {
    expect(answer.body, 'the schema allows it').not.toHaveProperty('errors');
    expect(answer.body).toHaveProperty('field');
  }
  expect([400, 413, 415]).not.toContain(answer.status);
  if (anyStrange(world, path) || anyStrange(world, body)) {
    expect(answer.status, 'nothing is done with what is not of this team').toBeGreaterThanOrEqual(400);
  }
  if (anyStrange(world, query) && answer.status === 200) {
    expect(answer.body['data'], 'nothing is of what is not of this team').toEqual([]);
  }
  if (answer.status < 300) expectKept(body, answer.body);
  for (const { item, status, assignment, problem } of itemResults(body, answer)) {
    if (anyStrange(world, item)) expect(status, 'nothing is done with what is not of this team').toBeGreaterThan(299);
    if (assignment) expectKept(item, assignment);
    else expect(problem, 'the schema allows it').not.toHaveProperty('errors');
  }
};

const Results = z.array(
  z.object({
    status: z.int(),
    assignment: z.record(z.string(), z.unknown()).optional(),
    problem: z.looseObject({ code: z.string() }).optional(),
  }),
);

/** The items of a request with their results, if it has any. */
const itemResults = (body: unknown, answer: Answer) => {
  const items: unknown = Object(body)['items'];
  if (!Array.isArray(items) || answer.status !== 200) return [];
  const results = Results.parse(answer.body['results']);
  expect(results).toHaveLength(items.length);
  return results.map((result, at) => ({ item: sentBody.catch({}).parse(items[at]), ...result }));
};

/** An answer to one team has nothing of another one. */
export const judgeSeparate = ({ status, text }: Answer, { ids, shared }: World): void => {
  if (status !== 200) return;
  for (const id of Object.values(ids).flat()) if (!shared.has(id)) expect(text).not.toContain(id);
};

/** The URL of an endpoint is normalised, without the fragment, which is never sent to servers. */
const asSent = (text: string): string => {
  const url = new URL(text);
  url.hash = '';
  return url.href;
};

/** Values of headers are never shown. */
const namesOf = (headers: unknown): Record<string, null> =>
  Object.fromEntries(Object.keys(headers ?? {}).map((name) => [name, null]));

/** Every written value that the answer also contains must be the same in it. */
const expectKept = (body: unknown, shown: Record<string, unknown>): void => {
  for (const [key, value] of Object.entries(sentBody.parse(body ?? {}))) {
    const read = shown[key];
    if (key === 'email') expect(read).toBe(String(value).toLowerCase());
    else if (key === 'url') expect(read).toBe(asSent(String(value)));
    else if (key === 'headers' && read !== undefined) expect(read).toEqual(namesOf(value));
    else if (key === 'events' && Array.isArray(value)) expect(read).toEqual([...new Set(value)]);
    else if (read !== undefined) expect(read, key).toEqual(JSON.parse(JSON.stringify(value)));
  }
};

/** A request that the document forbids is refused for exactly this reason, before any other check. */
export const judgeBroken = ({ status, request }: BrokenRequest, answer: Answer): void => {
  if (status === 'of an item') {
    // Another request with this key was first.
    if (['idempotency_mismatch', 'conflict'].includes(String(codeOf(answer)))) return;
    const results = itemResults(JSON.parse(String(request.body)), answer);
    expect(results.map(({ problem }) => problem?.code)).toContain('validation_error');
    return;
  }
  expect(answer.status).toBe(status);
  if (status !== 422) return;
  expect(codeOf(answer)).toBe('validation_error');
  const { errors, field } = answer.body;
  expect(Array.isArray(errors) ? errors.length : field, 'it says what is wrong').toBeTruthy();
};
