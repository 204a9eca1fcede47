import { expect } from 'vitest';
import type { Answer } from '../support/client.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const count = /^\d+$/;

const budget = {
  'ratelimit-limit': expect.stringMatching(count),
  'ratelimit-remaining': expect.stringMatching(count),
  'ratelimit-reset': expect.stringMatching(count),
};
/** Headers of every answer. */
const always = {
  'x-request-id': expect.stringMatching(uuid),
  'content-language': expect.stringMatching(/^(de|en)$/),
  'cache-control': expect.stringMatching(/^no-(store|cache)$/),
  vary: expect.stringContaining('Accept-Language'),
  'content-security-policy': expect.stringContaining("default-src 'none'"),
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': expect.stringMatching(/^max-age=\d{8,}/),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const forbidden = /^(access-control-.*|x-powered-by|server|set-cookie)$/;

/** Checks that an answer of the API has the headers of every answer, and none of the forbidden ones. */
export const expectApiHeaders = ({ headers }: Pick<Answer, 'headers'>): void => {
  expect(Object.fromEntries(headers)).toMatchObject({ ...always, ...budget });
  expect([...headers.keys()].filter((name) => forbidden.test(name))).toEqual([]);
};

/** The same for a problem outside the API, which has no budget. */
export const expectHeadersOutside = ({ headers }: Pick<Answer, 'headers'>): void => {
  expect(Object.fromEntries(headers)).toMatchObject(always);
  expect([...headers.keys()].filter((name) => forbidden.test(name) || name.startsWith('ratelimit'))).toEqual([]);
};
