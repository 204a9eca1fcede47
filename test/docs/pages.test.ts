import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { teamTables } from '../../src/modules/export/tables.ts';
import { allTools } from '../../src/server/mcp/protocol.ts';
import { storageQuotas } from '../../src/modules/storage/service.ts';

it('docs/export.md lists the files of an export, in their order', async () => {
  const text = await readFile('docs/export.md', 'utf8');
  const listed = [...text.matchAll(/^\| `(\w+\.json)` /gm)].map(([, file]) => file);
  expect(listed).toEqual([...teamTables.map(({ file }) => file), 'export.json']);
});

it.each(['src/server/developers/pages/en/assistants.md', 'src/server/developers/pages/de/assistants.md'])(
  '%s has a row for each tool, with its scopes',
  async (file) => {
    const text = await readFile(file, 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` +\|[^|]+\| (.*?) +\|$/gm)].map(([, name, scopes = '']) => [
      name,
      scopes.split(', ').toSorted(),
    ]);
    const expected = allTools.map(({ name, scopes }) => [name, scopes.map((scope) => `\`${scope}\``).toSorted()]);
    expect(rows.toSorted()).toEqual(expected.toSorted());
  },
);

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
