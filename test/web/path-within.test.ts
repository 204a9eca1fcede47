import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathWithin } from '../../src/web/pages/entrance/path-within.ts';
import { signInFor } from '../../src/web/session/sign-in-address.ts';
import { anyCharacter } from '../support/any-character.ts';

const origin = 'https://team.example';

/** The URL that a browser on our sign-in page opens for this path. */
const urlOf = (path: string): URL => new URL(path, `${origin}/sign-in`);

describe('where a link through the sign-in leads', () => {
  it.each(['/', '/members', '/webhooks/abc?tab=attempts&team=x', '/invitations/a.b.c', '/audit#x', '/a%20b?c=%2F%2Fd'])(
    'is %s itself',
    (next) => {
      expect(pathWithin(next)).toBe(next);
      // The sign-in leads back to it.
      const address = new URL(signInFor(urlOf(next)), origin);
      expect(address.pathname).toBe('/sign-in');
      expect(pathWithin(address.searchParams.get('next'))).toBe(next);
    },
  );

  it.each([
    null,
    '',
    'members',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\n\\evil.example',
    ' //evil.example',
    '/%09/evil.example',
    '/%0a/evil.example',
    '/%2F/evil.example',
    '/%2f%2fevil.example',
    '/%5Cevil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    '/%E0%A4%A',
    '/%',
    'https://evil.example/',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/\0',
    '/\u007f',
  ])('is the start page for %j', (next) => expect(pathWithin(next)).toBe('/'));

  it('is a path of this app for every value, and never fails', () => {
    const parts = [
      ['/', '\\', '//', '.', '..', '%', '%2F', '%5c', '%09', '%0d%0a', '\t', '\n', '\0', ' ', '?', '#', '@', ':', 'x'],
      ['evil.example', 'https:', 'javascript:', '\u2028', '\ud800', 'ü', '%E0', '%u002f', ';', '&next=', '[', ']'],
    ].flat();
    const part = fc.constantFrom(...parts);
    const hostile = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(part, { maxLength: 12 }).map((some) => some.join('')),
      fc.array(part, { maxLength: 12 }).map((some) => `/${some.join('')}`),
    );
    fc.assert(
      fc.property(hostile, (next) => {
        const path = pathWithin(next);
        expect(path.startsWith('/')).toBe(true);
        expect(urlOf(path).origin).toBe(origin);
        // The router decodes the path, and the browser parses the result again.
        expect(urlOf(decodeURIComponent(urlOf(path).pathname)).origin).toBe(origin);
        expect(pathWithin(path)).toBe(path);
      }),
      { numRuns: 5_000 },
    );
  });
});
