import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { filteredLists, filtersOf } from '../e2e/support/filtered-lists.ts';
import { filesMatching } from '../support/files-matching.ts';

// The filters of lists: the address has each of them, and the file, the number of rows and the list have the same.

const pages: { path: string; source: string }[] = [];
for await (const path of filesMatching('src/web/pages/**/*.{ts,tsx}'))
  pages.push({ path: path.replace(/^.*src\/web\/pages\//, ''), source: await readFile(path, 'utf8') });

const allOf = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map(([, found = '']) => found);
const quoted = /'(\w+)'/g;

/** The filters that the pages of a folder have in the address. */
const declared = new Map<string, Set<string>>();
for (const { path, source } of pages) {
  const folder = dirname(path);
  const names = allOf(source, /(?:useFilters\(|\w+Names = \[)([^)\]]*)/g).flatMap((list) => allOf(list, quoted));
  const range = source.includes('...rangeNames') ? ['range', 'from', 'to'] : [];
  declared.set(folder, new Set([...(declared.get(folder) ?? []), ...names, ...range]));
}

it('a page that reads or sets a filter has it among those that the address has and that can be cleared', () => {
  const used = new Map<string, Set<string>>();
  for (const { path, source } of pages) {
    const folder = dirname(path);
    const asked = [
      ...allOf(source, /\bvalueOf\('(\w+)'\)/g),
      ...allOf(source, /\bkind: '(?:choice|flag|day|member)',\s*name: '(\w+)'/g),
      ...allOf(source, /\bsearch=\{\{ name: '(\w+)'/g),
      // The views.
      ...allOf(source, /\bfilters: \{ (\w+): '/g),
      ...(source.includes("kind: 'range'") ? ['range', 'from', 'to'] : []),
    ];
    used.set(folder, new Set([...(used.get(folder) ?? []), ...asked]));
  }
  const missing = [...used].map(([folder, names]) => [
    folder,
    [...names.difference(declared.get(folder) ?? new Set())],
  ]);
  expect(missing.filter(([, names]) => names?.length !== 0)).toEqual([]);
  expect([...(used.get('members') ?? [])].toSorted()).toEqual([
    'directory',
    'from',
    'inactive',
    'role',
    'search',
    'status',
    'without',
  ]);
});

it('the file and the number of rows of a list have the filters of the list', () => {
  const wrong: string[] = [];
  let [files, counts] = [0, 0];
  for (const { path, source } of pages) {
    const lists = new Map<string, string>();
    for (const [, procedure = '', query = ''] of source.matchAll(
      /\b((?:app|api)\.\w+\.\w+)\.infiniteQueryOptions\(\s*(\w+)/g,
    ))
      lists.set(procedure, query);
    for (const [, procedure = '', query = ''] of source.matchAll(
      /client\.([\w.]+)\.query\(\{ \.\.\.(\w+), \.\.\.page \}\)/g,
    )) {
      files += 1;
      if (lists.get(procedure) !== query) wrong.push(`${path}: the file of ${procedure} has ${query}`);
    }
    const queries = new Set(lists.values());
    for (const [, matching = ''] of source.matchAll(/\.count\w*\.queryOptions\((\w+)/g)) {
      counts += 1;
      const isPart = [...queries].some((query) =>
        new RegExp(`const ${query} = \\{ \\.\\.\\.${matching}\\b`).test(source),
      );
      const isInHook = source.includes(`query: { ...${matching}, limit`);
      const isReadWhole = source.includes(`readAllMembers(${matching})`);
      if (!queries.has(matching) && !isPart && !isInHook && !isReadWhole)
        wrong.push(`${path}: the number of rows has ${matching}`);
    }
  }
  expect(wrong).toEqual([]);
  expect([files, counts]).toEqual([11, 9]);
});

it('a list with filters that can be counted is counted with them', () => {
  const bare = pages.flatMap(({ path, source }) =>
    allOf(source, /\.(count\w*)\.queryOptions\(\{\}/g).map((count) => `${path}: ${count}`),
  );
  // Objections have no filters.
  expect(bare).toEqual(['crm/deals.tsx: countObjections']);
});

it('the lists whose filters are tried in the browser are all lists with filters, and have all of these', () => {
  const withBar = new Set(pages.filter(({ source }) => source.includes('<FilterBar')).map(({ path }) => dirname(path)));
  // Their rows are all on the page, which filters them itself.
  for (const folder of ['analytics', 'catalog']) withBar.delete(folder);
  const ids = {
    member: '',
    user: '',
    assignment: '',
    situation: '',
    key: '',
    endpoint: '',
    connection: '',
    request: '',
  };
  const tried = Object.groupBy(
    Object.values(filteredLists).map((listOf) => listOf(ids)),
    ({ of }) => of,
  );
  expect([...withBar].toSorted()).toEqual(Object.keys(tried).toSorted());
  /** In the address, but no filters: where a list begins, its order, what is opened, and the times of a chart. */
  const others = new Set(['from', 'sort', 'view', 'case_id', 'period', 'range', 'to', 'since', 'until']);
  const missing = [...withBar].flatMap((folder) => {
    const has = new Set(tried[folder]?.flatMap((list) => Object.keys(filtersOf(list).address)));
    return [...(declared.get(folder) ?? [])]
      .filter((name) => !others.has(name) && !has.has(name))
      .map((name) => `${folder}: ${name}`);
  });
  // The assignment that is opened.
  expect(missing).toEqual(['assignments: assignment_id']);
});
