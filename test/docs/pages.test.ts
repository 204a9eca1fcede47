import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

/** The links of a file to files and headings of the project. */
const linksOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link));

const decisionFiles = globSync('docs/decisions/*.md').toSorted();
const withLinks = [...globSync('*.md'), ...globSync('docs/*.md'), ...decisionFiles].filter(
  (file) => linksOf(file).length > 0,
);

it.each(withLinks)('the links of %s lead to files and headings that exist', async (file) => {
  for (const link of linksOf(file)) {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    expect(existsSync(target), link).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(await readFile(target, 'utf8')), link).toContain(anchor);
  }
});

describe('docs/decisions', () => {
  const folders = decisionFiles.filter((file) => !file.endsWith('/README.md'));

  it('has an index that leads to each of its files', () => {
    const linked = linksOf('docs/decisions/README.md').filter((link) => !link.startsWith('../'));
    expect(linked.map((link) => join('docs/decisions', link)).toSorted()).toEqual(folders);
  });

  it.each(folders)('%s is about a folder, in entries of at most 60 words', async (file) => {
    const text = await readFile(file, 'utf8');
    const [, title = ''] = /^# (.*)/.exec(text) ?? [];
    const about = [...title.matchAll(/`(.*?)`/g)].map(([, folder = '']) => folder);
    expect(about.length > 0 || file === 'docs/decisions/src.md', 'its title names a folder').toBe(true);
    expect(about.filter((folder) => !existsSync(folder))).toEqual([]);
    const entries = [...text.matchAll(/^- (.+(?:\n {2}\S.*)*)/gm)].map(([, entry = '']) => entry);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter((entry) => entry.split(/\s+/).length > 60)).toEqual([]);
    expect(entries.filter((entry) => !entry.startsWith('**'))).toEqual([]);
    // Besides the entries there are only headings and sentences about the file itself.
    const rest = text.replaceAll(/^- .+(?:\n {2}\S.*)*/gm, '').replaceAll(/^#+ .*/gm, '');
    expect(rest.trim().split(/\s+/).length).toBeLessThan(30);
  });

  it('has a section in modules.md for existing modules only', async () => {
    const sections = [...(await readFile('docs/decisions/modules.md', 'utf8')).matchAll(/^## (.*)$/gm)];
    const named = sections.map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named).toEqual(named.toSorted());
    expect(named.filter((name) => !existsSync(join('src/modules', name)))).toEqual([]);
  });

  it('is what comments and texts name, by files that exist', async () => {
    const files = globSync(['*.md', 'docs/**/*.md', '{src,test,scripts}/**/*.{ts,tsx,md,sql}']);
    const named = await Promise.all(
      files.map(async (file) => [...(await readFile(file, 'utf8')).matchAll(/docs\/decisions[\w./-]*?\.md/g)]),
    );
    const missing = named.flat().filter(([name]) => !existsSync(name));
    expect(missing.map(([name]) => name)).toEqual([]);
  });
});

it('docs/operations.md is short enough to be read when something fails: fewer than 3,500 words besides tables and commands', async () => {
  const text = (await readFile('docs/operations.md', 'utf8')).replaceAll(/^```.*?^```$/gms, '');
  const prose = text.split('\n').filter((line) => !line.startsWith('|'));
  const words = prose.join(' ').match(/\S*[\p{L}\p{N}]\S*/gu) ?? [];
  expect(words.length).toBeGreaterThan(1_000);
  expect(words.length).toBeLessThan(3_500);
});
