import { describe, expect, it } from 'vitest';
import { allScopes } from '../../src/core/scopes.ts';
import { randomText } from '../../src/core/crypto.ts';
import { revokeKey, rotateKey } from '../../src/modules/keys/service.ts';
import { type Answer, rawRequest } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();
const team = await aTeam(service);

const aKeyText = async () => (await team.aKey()).text;
const bearer = (text: string) => ['Authorization', `Bearer ${text}`];
const get = (headers: readonly string[], path = '/me') => rawRequest(`${service.baseUrl}${path}`, { headers });

const expiredKey = async () => {
  const { id, text } = await team.aKey({ expiresAt: new Date(Date.now() + 60_000) });
  await service.database.prisma.apiKey.updateMany({ where: { id }, data: { expiresAt: new Date() } });
  return text;
};
const revokedKey = async () => {
  const { id, text } = await team.aKey();
  await revokeKey(await team.acting(), id);
  return text;
};
const replacedKey = async () => {
  const { id, text } = await team.aKey();
  await rotateKey(await team.acting(), id, { graceSeconds: 0 });
  return text;
};
const wrongSecret = async () => `${(await aKeyText()).slice(0, -43)}${randomText(43)}`;
const changedAt = (text: string, at: number) =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;

/** As many headers as fit beside a few others. */
const many = Array.from({ length: 90 }, () => ['a', 'b']).flat();

type Row = [what: string, headers: () => Promise<string[]> | string[]];

const rows: Row[] = [
  ['no Authorization header', () => []],
  ['an empty one', () => ['Authorization', '']],
  ['Bearer and nothing else', () => ['Authorization', 'Bearer']],
  ['another scheme', async () => ['Authorization', `Basic ${await aKeyText()}`]],
  ['a tab behind the scheme', async () => ['Authorization', `Bearer\t${await aKeyText()}`]],
  ['the key without a scheme', async () => ['Authorization', await aKeyText()]],
  ['the key in another header', async () => ['X-Api-Key', await aKeyText()]],
  ['the key in a cookie', async () => ['Cookie', `authorization=Bearer ${await aKeyText()}`]],
  ['a text that is no key', () => bearer('hunter2')],
  ['a key cut short', async () => bearer((await aKeyText()).slice(0, -1))],
  ['a key and more', async () => bearer(`${await aKeyText()} x`)],
  ['a byte beyond ASCII', async () => bearer((await aKeyText()).slice(0, -1).concat('\u00e4'))],
  ['a key of another environment', async () => bearer((await aKeyText()).replace('_live_', '_test_'))],
  ['an unknown prefix', () => bearer(`svck_live_${randomText(12)}_${randomText(43)}`)],
  ['a wrong secret', async () => bearer(await wrongSecret())],
  ['a secret of which the last character is wrong', async () => bearer(changedAt(await aKeyText(), 65))],
  [
    'the prefix of one key with the secret of another',
    async () => bearer((await aKeyText()).slice(0, 23) + (await aKeyText()).slice(23)),
  ],
  ['an expired key', async () => bearer(await expiredKey())],
  ['a revoked key', async () => bearer(await revokedKey())],
  ['a key replaced without grace', async () => bearer(await replacedKey())],
  [
    'an address that is not allowed',
    async () => bearer((await team.aKey({ allowedIps: ['10.0.0.0/8', '2001:db8::/32'] })).text),
  ],
  ['two Authorization headers', async () => [...bearer(await aKeyText()), ...bearer(await aKeyText())]],
  ['a wrong key behind a right one', async () => [...bearer(await aKeyText()), ...bearer('x')]],
  ['a right key behind another scheme', async () => ['Authorization', 'Basic x', ...bearer(await aKeyText())]],
  ['a second key behind 90 headers', async () => [...bearer(await aKeyText()), ...many, ...bearer(await aKeyText())]],
  ['two keys in one header', async () => ['Authorization', `Bearer ${await aKeyText()}, Bearer ${await aKeyText()}`]],
];

/** The parts of an answer that must be equal for all reasons. */
const likeness = ({ status, headers, body }: Answer) => {
  const { request_id: _own, ...rest } = body;
  const passing = new Set(['date', 'x-request-id', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset']);
  return { status, body: rest, headers: [...headers].filter(([name]) => !passing.has(name)) };
};

describe('401 unauthorized', () => {
  it.each(rows)('%s', async (_what, headers) => {
    const [missing, answer] = [await get([]), await get(await headers())];
    expect(answer).toBeProblem('unauthorized');
    expect(likeness(answer)).toEqual(likeness(missing));
    expect(answer.body).not.toHaveProperty('detail');
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
      expect(answer.headers.get(name)).toMatch(/^\d+$/);
  });

  it('is the answer to a key in the query', async () => {
    expect(await get([], `/me?access_token=${await aKeyText()}`)).toBeProblem('unauthorized');
  });

  it('comes before any other check of a request: unknown paths, methods, bodies', async () => {
    for (const [method, path, body] of [
      ['GET', '/nowhere', undefined],
      ['PUT', '/me', '{'],
      ['POST', '/users', '{'],
      ['GET', '/users?limit=x', undefined],
      ['OPTIONS', '/users', undefined],
    ] as const) {
      const answer = await rawRequest(`${service.baseUrl}${path}`, { method, ...(body !== undefined && { body }) });
      expect(answer).toBeProblem('unauthorized');
    }
  });

  it('is in the requested language', async () => {
    const { headers, body } = await get(['Accept-Language', 'en-GB, de;q=0.5']);
    expect([headers.get('content-language'), body['title']]).toEqual(['en', 'Key missing or not valid']);
  });
});

describe('a key is accepted', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])('with the scheme written %j', async (scheme) => {
    expect((await get(['Authorization', `${scheme} ${await aKeyText()}`])).status).toBe(200);
  });

  it('with the header named in any case, with blanks around, and behind 90 others', async () => {
    expect((await get(['AUTHORIZATION', `  Bearer ${await aKeyText()}  \t`])).status).toBe(200);
    expect((await get([...many, ...bearer(await aKeyText())])).status).toBe(200);
  });
});

it('every scope can be granted, so that nothing above failed for lack of one', async () => {
  expect((await team.client.get('/me')).body['scopes']).toEqual(allScopes);
});
