import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { storageQuotas } from '../../src/core/limits.ts';
import { teamTables } from '../../src/modules/export/tables.ts';
import { allTools } from '../../src/server/mcp/protocol.ts';

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

/** As GitHub makes them; a page of the documentation may give a heading its own, `{#anchor}`. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*?)(?: \{#([\w-]+)\})?$/gm)].map(
    ([, heading = '', given]) =>
      given ??
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
  );

it.each(['README.md', 'CONTRIBUTING.md', 'docs/operations.md', 'docs/capacity.md', 'docs/citus.md', 'docs/testing.md'])(
  'the links of %s lead to files and headings that exist',
  async (file) => {
    const links = [...(await readFile(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const own = links.filter((link) => !/^https?:/.test(link));
    expect(own.length).toBeGreaterThan(0);
    for (const link of own) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(await readFile(target, 'utf8')), link).toContain(anchor);
    }
  },
);

it('docs/operations.md is short enough to be read when something fails: fewer than 3,500 words besides tables and commands', async () => {
  const text = (await readFile('docs/operations.md', 'utf8')).replaceAll(/^```.*?^```$/gms, '');
  const prose = text.split('\n').filter((line) => !line.startsWith('|'));
  const words = prose.join(' ').match(/\S*[\p{L}\p{N}]\S*/gu) ?? [];
  expect(words.length).toBeGreaterThan(1_000);
  expect(words.length).toBeLessThan(3_500);
});
