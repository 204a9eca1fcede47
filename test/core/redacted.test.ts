import { expect, it } from 'vitest';
import { withoutSecrets } from '../../src/core/redacted.ts';

it('secrets are replaced wherever they stand in a text', () => {
  expect(withoutSecrets('a key1, a key2 and key1 again', ['key1', 'key2'])).toBe(
    'a [redacted], a [redacted] and [redacted] again',
  );
  expect(withoutSecrets('a text', [])).toBe('a text');
});
