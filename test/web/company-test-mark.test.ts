import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forgetCompanyTest, isCompanyTest, noteCompanyTest } from '../../src/web/session/company-test-mark.ts';

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('a page that React begins to render again still knows that it belongs to a test of the company account', () => {
  expect(isCompanyTest()).toBe(false);
  noteCompanyTest();
  expect([isCompanyTest(), isCompanyTest()]).toEqual([true, true]);
  forgetCompanyTest();
  expect(isCompanyTest()).toBe(false);
});
