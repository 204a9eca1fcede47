import { expect } from 'vitest';

/** A flaw that a 422 names, with any sentence about it. */
export const flawIn = (part: 'query' | 'body', code: string, path: readonly (string | number)[] = []) => ({
  in: part,
  path,
  code,
  message: expect.any(String),
});
