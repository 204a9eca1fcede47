import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles, sourceOf } from './statements/defined.ts';
import { joins, mayTouch, owners, tableOfDelegate, tablesIn } from './statements/tables.ts';

// Each table is read and written in its owner's `store.ts` alone. What is not so yet stands in `tables-allowed.json`: a list that
// only gets shorter. `npm run tables -- --shrink` takes out what is no longer needed; nothing adds to it.

type Allowed = Record<string, string[]>;

const allowedFile = join(import.meta.dirname, 'statements', 'tables-allowed.json');
const allowed: Allowed = JSON.parse(readFileSync(allowedFile, 'utf8'));

const found: Allowed = {};
for (const file of sourceFiles()) {
  const tables = tablesIn(sourceOf(file)).filter((table) => !mayTouch(file, table));
  if (tables.length > 0) found[file] = tables;
}

const lacking = (from: Allowed, all: Allowed): [file: string, table: string][] =>
  Object.entries(all).flatMap(([file, tables]) =>
    tables.filter((table) => from[file]?.includes(table) !== true).map((table): [string, string] => [file, table]),
  );

const added = lacking(allowed, found);
const gone = lacking(found, allowed);
const shrinking = process.argv.includes('--shrink');
if (shrinking) {
  const left = Object.entries(allowed)
    .map(([file, tables]) => [file, tables.filter((table) => found[file]?.includes(table))] as const)
    .filter(([, tables]) => tables.length > 0);
  writeFileSync(allowedFile, `${JSON.stringify(Object.fromEntries(left), undefined, 2)}\n`);
}

const ownerless = [...tableOfDelegate.values()].filter((table) => !Object.hasOwn(owners, table));
const staleJoins = Object.entries(joins).flatMap(([file, tables]) => {
  const touched = tablesIn(sourceOf(file));
  return tables.filter((table) => !touched.includes(table)).map((table) => `${file} no longer joins ${table}`);
});
const complaints = [
  ...staleJoins,
  ...ownerless.map((table) => `the table ${table} has no owner in scripts/statements/tables.ts`),
  ...added.map(([file, table]) => `${file} touches the table ${table}: only src/modules/${owners[table]}/store.ts may`),
  ...(shrinking ? [] : gone.map(([file, table]) => `${file} no longer touches ${table}: npm run tables -- --shrink`)),
];
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
