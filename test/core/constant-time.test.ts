import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

// Whether a secret is compared in constant time can't be measured through the service, so this test names the places.

/**
 * Files with comparisons of secrets, and how many of each kind they have. `isSame` of tokens.ts is a `timingSafeEqual`.
 */
const places: Readonly<Record<string, readonly string[]>> = {
  // Signatures: of cursors, links, tokens.
  'src/core/crypto.ts': ['timingSafeEqual'],
  'src/core/password.ts': ['timingSafeEqual'],
  // Signatures of cookies.
  'src/modules/sign-ins/cookies.ts': ['timingSafeEqual'],
  // Hashes of the access token, the code, its client and verifier, and the client, token and next token of a refresh.
  'src/modules/assistants/tokens.ts': ['timingSafeEqual', ...Array<string>(7).fill('isSame')],
  // The token of the sandbox.
  'src/packages/sandbox/control.ts': ['timingSafeEqual'],
};

const root = join(import.meta.dirname, '../..');

it('secrets are compared in constant time, at these places', () => {
  const files = globSync('src/**/*.ts', { cwd: root, exclude: ['src/web/**', 'src/server/developers/**'] });
  const found = files.flatMap((file): [string, string[]][] => {
    const calls = readFileSync(join(root, file), 'utf8').match(/\b(?:timingSafeEqual|isSame)(?=\()/g) ?? [];
    return calls.length === 0 ? [] : [[file, calls]];
  });
  expect(Object.fromEntries(found)).toEqual(places);
});
