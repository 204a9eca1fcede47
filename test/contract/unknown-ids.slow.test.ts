import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { percentDecoded } from '../../src/core/percent.ts';
import { isStorable } from '../../src/core/storable.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf, type Operation } from '../../src/platform/trpc/procedures.ts';
import { anyCharacter } from '../support/any-character.ts';
import { keyBudget, spend } from '../support/budgets.ts';
import { type Answer, rawRequest } from '../support/client.ts';
import { operationInputs, parametersOf } from '../support/operations.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { routes } from './rows/routes.ts';

// What is no id of the team names nothing, whatever the text: in a path 404, as a filter an empty page, in a body 404.
// The routes come from the router, so a new one is tested without a line here.

const service = await useTestService();
const { idsOf, idOf, bodyFor } = operationInputs(service);

const team = await aTeam(service, { admins: 1, seats: 1_000, rateLimit: 100_000 });
const key = await team.aKey();

const ofHiding = await (await aTeam(service, { memberDetail: false })).aKey();

/** An id of the team, and one of another team, for each parameter. */
const known = new Map<string, { own: string; foreign: string }>();
const other = await aTeam(service, { admins: 1 });
for (const parameter of Object.keys(idsOf)) {
  known.set(parameter, { own: await idOf(parameter, team), foreign: await idOf(parameter, other) });
}
const knownOf = (parameter: string): { own: string; foreign: string } => {
  const ids = known.get(parameter);
  if (!ids) throw new Error(`add a way to make a ${parameter} to idsOf`);
  return ids;
};

/** The path of an operation with this text as it is written for a parameter, and the team's own ids for the others. */
const pathWith = (operation: Operation, parameter: string, written: string): string =>
  operation.openapi.path.replace(/\{(\w+)\}/g, (_, name: string) => (name === parameter ? written : knownOf(name).own));

const asked = new Map<string, number>();

const ask = async (
  method: string,
  path: string,
  { body, by = key, headers = [] }: { body?: unknown; by?: { id: string; text: string }; headers?: string[] } = {},
): Promise<Answer> => {
  // A key may make 120 requests in a minute.
  const count = (asked.get(by.id) ?? 0) + 1;
  asked.set(by.id, count);
  if (count % 50 === 0) await spend(service, keyBudget(by.id), 0);
  const json = body === undefined ? [] : ['Content-Type', 'application/json'];
  return rawRequest(service.origin, {
    method,
    target: `/api/public/v1${path}`,
    headers: ['Authorization', `Bearer ${by.text}`, ...json, ...headers],
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
};

/** Calls the function for each text, for a few at the same time. */
const forEachOf = async (texts: readonly string[], act: (text: string) => Promise<void>): Promise<void> => {
  for (let at = 0; at < texts.length; at += 10) await Promise.all(texts.slice(at, at + 10).map(act));
};

/** What a client sees of an answer, without what differs for each request. */
const shown = ({ status, body }: Answer): Record<string, unknown> => ({ ...body, status, request_id: '' });

// Texts

/** As they are written in a path: what no id looks like. */
const hostile = [
  ['%00', 'a%00', '%00%00', '%C0%80', '%01', '%0a', '%0d%0a', '%1b', '%7f', '%C2%85'],
  ['%', '%%', '%2', '%zz', '%ff', '%C3', '%ED%A0%80', '%ED%BF%BF', '%F4%90%80%80', '%u0041'],
  ['.', '..', '%2e', '%2e%2e', '%2E%2E', '%2F', 'a%2Fb', '%2e%2e%2fme', '%5C', '%252e%252e', '%252F', '%2500'],
  ['%CC%81', '%E2%80%8F', '%E2%80%AE', '%E2%80%8B', '%EF%BB%BF', '%EF%BF%BF', '%F0%9F%98%80', '%C3%A4'],
  ['+', '%20', '%2B', '%3Fx=1', '%23', ';a=b', '@', '*', ':member_id', '{member_id}', '[]', "'", '%27%20or%201=1'],
  ['__proto__', 'constructor', 'null', 'undefined', 'true', '0', '-1', '00000000-0000-0000-0000-000000000000'],
  ['x'.repeat(12_000), '%00'.repeat(4_000), '%F0%9F%98%80'.repeat(1_000), '%ff'.repeat(4_000)],
].flat();

const wide = (digit: string): string => String.fromCodePoint(digit.charCodeAt(0) + 0xfee0);

/** As they are written in a path: texts that are almost this id. */
const almost = (id: string): string[] =>
  [
    [id.toUpperCase(), id.replace(/[a-f]/, (letter) => letter.toUpperCase()), id.slice(1), id.slice(0, -1), `${id}0`],
    [`+${id}`, `${id}+`, `%20${id}`, `${id}%20`, `%2B${id}`, `${id}%0A`, `${id}%09`],
    [`${id}%00`, `%00${id}`, `${id}%FF`, `${id}%CC%81`, `%E2%80%8F${id}`, `${id}%E2%80%8E`, `%EF%BB%BF${id}`],
    [`%7B${id}%7D`, `urn:uuid:${id}`, id.replaceAll('-', ''), id.replaceAll('-', '%E2%80%90'), `${id},${id}`],
    [`${id}.`, `${id}.json`, `${id}%2F`, `%2F${id}`, `%2e%2F${id}`, `${id};a=b`, id.replaceAll('-', '%252D')],
    [encodeURIComponent(id.replace(/\d/, wide))],
  ].flat();

const inUnicode = fc.string({ unit: anyCharacter, maxLength: 40 });
/** Most are no UTF-8. */
const inBytes = fc
  .uint8Array({ minLength: 1, maxLength: 24 })
  .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
/** All that the first line of a request may contain, without what ends a segment of the path. */
const unencoded = fc.string({
  unit: fc.constantFrom(
    ...String.fromCharCode(...Array.from({ length: 0x7e - 0x20 }, (_, at) => 0x21 + at)).replaceAll(/[/?#]/g, ''),
  ),
  maxLength: 40,
});
/** An id in which one character is another one. */
const changed = (id: string) =>
  fc
    .tuple(fc.nat(id.length - 1), anyCharacter)
    .map(([at, character]) => encodeURIComponent(`${id.slice(0, at)}${character}${id.slice(at + 1)}`));

const writtenTexts = (id: string) =>
  fc
    .oneof(
      inUnicode.map(encodeURIComponent),
      inBytes,
      unencoded,
      changed(id),
      fc.uuid(),
      fc.tuple(fc.constantFrom(...hostile.slice(0, -4)), fc.constantFrom('', id)).map((parts) => parts.join('')),
    )
    .filter((written) => percentDecoded(written) !== id);

const operations = operationsOf(publicRouter).map((operation) => ({ route: operation.operation.route, operation }));

const inPath = operations.flatMap(({ route, operation }) =>
  parametersOf(operation).map((parameter) => ({ route, operation, parameter })),
);

describe('a text in a path that is no id of the team', () => {
  const reads = inPath.filter(({ operation }) => operation.openapi.method === 'GET');
  const present = () =>
    Promise.all(
      reads.map(async ({ operation, parameter }) => {
        const answer = await ask('GET', pathWith(operation, parameter, knownOf(parameter).own));
        return { route: operation.operation.route, status: answer.status, text: answer.text };
      }),
    );
  let before: Awaited<ReturnType<typeof present>>;
  beforeAll(async () => {
    before = await present();
  });

  it('concerns many routes', () => expect(inPath.length).toBeGreaterThan(15));

  describe.each(inPath)('of $route', ({ operation, parameter }) => {
    const { method } = operation.openapi;
    const { own, foreign } = knownOf(parameter);

    it('is 404 not_found, like the id of another team', async () => {
      const body = await bodyFor(operation);
      const call = (written: string) => ask(method, pathWith(operation, parameter, written), { body });
      const expected = await call(foreign);
      expect(expected).toBeProblem('not_found');
      const expectUnknown = async (written: string): Promise<void> => {
        const answer = await call(written);
        // What is empty or can't be decoded makes no path of a route, so its problem says nothing about the resource.
        const isPath = written !== '' && percentDecoded(written) !== undefined;
        const { detail: _, ...inGeneral } = shown(expected);
        expect({ written, ...shown(answer) }).toEqual({ written, ...(isPath ? shown(expected) : inGeneral) });
      };
      await forEachOf([makeId(), ...hostile, ...almost(own)], expectUnknown);
      await fc.assert(fc.asyncProperty(writtenTexts(own), expectUnknown), { numRuns: 50 });
    });

    it('is refused because of scope, privacy, and a query or body that is not valid, before that', async () => {
      const { scope: needed, privacy } = operation.operation;
      const by = await team.aKey({ scopes: allScopes.filter((scope) => scope !== needed) });
      const takesBody = Object.keys(operation.input.shape).some((field) => !parametersOf(operation).includes(field));
      const hasBody = takesBody && (method === 'POST' || method === 'PATCH');
      const body = await bodyFor(operation);
      for (const written of ['nobody', '%00', '%2F', '%2e%2e', '%0a', 'x'.repeat(12_000), own.toUpperCase()]) {
        const path = pathWith(operation, parameter, written);
        if (needed) expect(await ask(method, path, { by })).toBeProblem('insufficient_scope');
        if (privacy) expect(await ask(method, path, { by: ofHiding, body })).toBeProblem('privacy_restricted');
        if (hasBody) expect(await ask(method, path, { body: '{"unknown":1}' })).toBeProblem('validation_error');
        expect(await ask(method, `${path}?unknown=1`, { body })).toBeProblem('validation_error');
      }
      // This is no path of a route, for which there is a scope.
      const broken = `${pathWith(operation, parameter, '%ff')}?unknown=1`;
      expect(await ask(method, broken, { by })).toBeProblem('not_found');
    });

    it.runIf(method === 'POST')('has its answer kept for an Idempotency-Key, as any id has', async () => {
      for (const [at, written] of [foreign, 'nobody', '%00', '%2F'].entries()) {
        const headers = ['Idempotency-Key', `${operation.name} ${at}`];
        const path = pathWith(operation, parameter, written);
        const body = await bodyFor(operation);
        const replayed = [];
        for (let time = 0; time < 2; time += 1) {
          const answer = await ask(method, path, { body, headers });
          expect(answer).toBeProblem('not_found');
          replayed.push(answer.headers.get('idempotent-replayed'));
        }
        expect(replayed).toEqual([null, 'true']);
      }
    });
  });

  it('has changed nothing: the rows that were almost named are as they were', async () => {
    expect(before.map(({ status }) => status)).toEqual(reads.map(() => 200));
    expect(await present()).toEqual(before);
  });
});

const isIdName = (name: string): boolean => name.endsWith('_id');
/** A filter by an id of the customer's own has rules for its text. */
const isOwnIdName = (name: string): boolean => isIdName(name) && name !== 'external_id';

/** Texts that a query or a body may contain: a NUL is refused there, because no value may have one. */
const storableTexts = (id: string): string[] =>
  [makeId(), ...hostile, ...almost(id)]
    .map(percentDecoded)
    .filter((text) => text !== undefined && text !== id && isStorable(text))
    .map(String);

const anyStorable = inUnicode.filter(isStorable);

describe('a text in a filter that is no id of the team', () => {
  const filters = operations.flatMap(({ route, operation }) =>
    operation.openapi.method === 'GET'
      ? Object.keys(operation.input.shape)
          .filter((name) => isOwnIdName(name) && !parametersOf(operation).includes(name))
          .map((name) => ({ route, operation, name }))
      : [],
  );

  it('concerns some routes', () => expect(filters.length).toBeGreaterThan(2));

  it.each(filters)('$name of $route gives an empty page', async ({ operation, name }) => {
    const page = async (text: string): Promise<void> => {
      const answer = await ask('GET', `${operation.openapi.path}?${name}=${encodeURIComponent(text)}`);
      expect({ text, status: answer.status, body: answer.body }).toEqual({
        text,
        status: 200,
        body: { data: [], next_cursor: null },
      });
    };
    const { own, foreign } = known.get(name) ?? knownOf('member_id');
    await forEachOf([foreign, ...storableTexts(own)], page);
    await fc.assert(fc.asyncProperty(anyStorable, page), { numRuns: 50 });
  });
});

describe('a text in a body that is no id of the team', () => {
  const inBody = operations.flatMap(({ route, operation }) =>
    operation.openapi.method === 'POST' || operation.openapi.method === 'PATCH'
      ? Object.keys(operation.input.shape)
          .filter((name) => isIdName(name) && !parametersOf(operation).includes(name))
          .map((name) => ({ route, operation, name, refusal: routes[route]?.unknownIds?.[name] }))
      : [],
  );

  it('is in the row of its route', () => {
    for (const { route, name, refusal } of inBody) expect(refusal, `${name} of ${route}`).not.toBeUndefined();
  });

  it.each(inBody.filter(({ refusal }) => refusal))(
    '$name of $route is refused',
    async ({ operation, name, refusal }) => {
      const body = await bodyFor(operation, team);
      const path = operation.openapi.path.replace(/\{(\w+)\}/g, (_, parameter: string) => knownOf(parameter).own);
      const expectRefused = async (text: string): Promise<void> => {
        const answer = await ask(operation.openapi.method, path, { body: { ...body, [name]: text } });
        expect({ text, code: answer.body['code'] }).toEqual({ text, code: refusal });
      };
      const { own, foreign } = known.get(name) ?? knownOf('member_id');
      await forEachOf([foreign, ...storableTexts(own)], expectRefused);
      await fc.assert(fc.asyncProperty(anyStorable, expectRefused), { numRuns: 50 });
    },
  );
});
