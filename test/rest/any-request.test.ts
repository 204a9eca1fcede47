import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { allScopes } from '../../src/core/scopes.ts';
import { problemCodes } from '../../src/core/problem.ts';
import { anyCharacter } from '../support/any-character.ts';
import { rawRequest } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectApiHeaders } from './api-headers.ts';

const keys: string[] = [];

const runs = 150;

const service = await useTestService();
const team = await aTeam(service, { members: 3, seats: 5 });
// Each with its own budget, so that requests are answered and not only counted.
while (keys.length < runs / 100) {
  keys.push(
    (await team.aKey()).text,
    (await team.aKey({ scopes: allScopes.filter((_scope, at) => at % 2 === 0) })).text,
  );
}

const printable = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 0x7e - 0x21 + 1 }, (_, at) => String.fromCharCode(0x21 + at))),
});
const inTarget = printable.map((text) => text.replaceAll('#', ''));
const encoded = fc
  .string({ unit: 'grapheme' })
  .filter((text) => text.isWellFormed())
  .map(encodeURIComponent);
const id = fc.oneof(
  fc.nat(3).map((index) => () => team.members[index % 3]?.id ?? ''),
  encoded.map((text) => () => text),
  inTarget.map((text) => () => text),
);

const path = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('', '/', '/me', '/users', '/users/', '/openapi.v1.json', '/nothing').map((text) => () => text),
      id.map((make) => () => `/users/${make()}`),
      inTarget.map((text) => () => `/${text}`),
    ),
    fc.option(
      fc.oneof(
        inTarget,
        fc.constantFrom('limit=5', 'limit=0', 'limit=1e3', 'cursor=x', 'limit=5&limit=5', '__proto__=1', '%zz'),
        fc
          .tuple(fc.constantFrom('limit', 'cursor', 'x', 'constructor'), encoded)
          .map(([name, value]) => `${name}=${value}`),
      ),
    ),
  )
  .map(
    ([make, query]) =>
      () =>
        `${make()}${query === null ? '' : `?${query}`}`,
  );

const body = fc.oneof(
  fc.constant(undefined),
  fc.json(),
  fc
    .record(
      { email: fc.oneof(fc.emailAddress(), fc.string()), role: fc.constantFrom('member', 'admin', 'owner', 1) },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .object({ key: fc.constantFrom('email', 'role', 'lang', '__proto__', 'constructor', '') })
    .map((value) => JSON.stringify(value)),
  fc.string({ unit: anyCharacter }),
  fc.uint8Array({ maxLength: 200 }),
);

const headerText = printable.map((text) => text.trim());
const headers = fc.record(
  {
    'Content-Type': fc.oneof(fc.constant('application/json'), fc.constant('text/plain'), headerText),
    'Content-Encoding': fc.oneof(fc.constant('gzip'), headerText),
    'Accept-Language': fc.oneof(fc.constantFrom('en', 'de', 'en-GB, de;q=0.5'), headerText),
    'Accept-Encoding': fc.oneof(fc.constantFrom('br', 'gzip', '*;q=0'), headerText),
    Accept: headerText,
    'Idempotency-Key': headerText,
    'X-Request-Id': fc.oneof(fc.uuid(), headerText),
    'X-Forwarded-For': headerText,
    'If-None-Match': headerText,
    Cookie: headerText,
    Origin: headerText,
    Range: fc.constantFrom('bytes=0-1', 'x'),
    Expect: fc.constantFrom('x'),
    Upgrade: fc.constantFrom('h2c'),
  },
  { requiredKeys: [] },
);

const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND');

const ProblemBody = z.strictObject({
  type: z.url(),
  title: z.string().min(1),
  status: z.int(),
  code: z.enum(problemCodes),
  request_id: z.string().length(36),
  detail: z.string().optional(),
  errors: z
    .array(
      z.strictObject({
        in: z.enum(['query', 'path', 'body']),
        path: z.array(z.union([z.string(), z.int()])),
        code: z.string(),
        message: z.string(),
      }),
    )
    .optional(),
  field: z.string().optional(),
  required_scope: z.string().optional(),
});

it('for any request, the answer is never a 500, and every failure is a problem with all its headers', async () => {
  let asked = 0;
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      headers,
      body,
      fc.integer({ min: 0, max: 9 }),
      async (verb, make, given, sent, who) => {
        const key = who === 0 ? undefined : keys[Math.floor((asked += 1) / 100) * 2 + (who % 2)];
        const authorization = key === undefined ? [] : ['Authorization', `Bearer ${key}`];
        const answer = await rawRequest(service.origin, {
          method: verb,
          target: `/api/public/v1${make()}`,
          headers: [...Object.entries(given).flat(), ...authorization],
          ...(sent !== undefined && { body: sent }),
        });
        statuses.add(answer.status);
        expect(answer.status).toBeGreaterThanOrEqual(200);
        expect(answer.status).toBeLessThan(500);
        expect(answer.status).not.toBe(429);
        expectApiHeaders(answer);
        if (answer.status < 400) return;
        expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
        if (verb === 'HEAD') return;
        const problem = ProblemBody.parse(JSON.parse(answer.text));
        expect(problem.status).toBe(answer.status);
        expect(problem.request_id).toBe(answer.headers.get('x-request-id'));
        expect(problem.type.endsWith(`/developers/errors#${problem.code}`)).toBe(true);
      },
    ),
    {
      numRuns: runs,
      // Random requests may never get some of the statuses below. The key with half of the scopes lacks that of one of
      // the first two.
      examples: [
        ['GET', () => '/users', {}, undefined, 1],
        ['POST', () => '/users', {}, '{}', 1],
        ['POST', () => '/users', {}, '{}', 2],
        ['DELETE', () => `/users/${team.members[0]?.id}`, {}, undefined, 2],
      ],
    },
  );
  for (const status of [200, 204, 401, 403, 404, 422]) expect(statuses).toContain(status);
});
