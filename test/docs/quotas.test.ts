import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { storageQuotas } from '../../src/modules/storage/service.ts';

const mebibyte = 1024 ** 2;
const written = (bytes: number): string =>
  bytes < 1024 * mebibyte ? `${bytes / mebibyte} MiB` : `${bytes / 1024 / mebibyte} GiB`;

it('docs/operations.md has the quotas of each plan', async () => {
  const text = await readFile('docs/operations.md', 'utf8');
  const rows = [...text.matchAll(/^\| `(?:basic|team|enterprise)` .*\|$/gm)].map(([row]) =>
    row.replaceAll(/ +\|/g, ' |'),
  );
  expect(rows).toEqual(
    Object.entries(storageQuotas).map(
      ([plan, { stored, answers }]) => `| \`${plan}\` | ${written(stored)} | ${written(answers)} |`,
    ),
  );
});
