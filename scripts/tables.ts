import { sourceFiles, sourceOf } from './statements/defined.ts';
import { joins, mayTouch, owners, storesOf, tableOfDelegate, tablesIn } from './statements/tables.ts';

// npm run tables: checks that each table is read and written only in its owner's stores.

const touched = sourceFiles().flatMap((file) =>
  tablesIn(sourceOf(file))
    .filter((table) => !mayTouch(file, table))
    .map((table) => `${file} touches the table ${table}: only ${storesOf(owners[table] ?? '').join(' and ')} may`),
);
const ownerless = [...tableOfDelegate.values()]
  .filter((table) => !Object.hasOwn(owners, table))
  .map((table) => `the table ${table} has no owner in scripts/statements/tables.ts`);
const staleJoins = Object.entries(joins).flatMap(([file, tables]) => {
  const present = tablesIn(sourceOf(file));
  return tables.filter((table) => !present.includes(table)).map((table) => `${file} no longer joins ${table}`);
});

const complaints = [...staleJoins, ...ownerless, ...touched];
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
