import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appRouter } from '../src/modules/app-router.ts';
import { publicRouter } from '../src/modules/public-router.ts';
import { entranceRouter } from '../src/modules/sign-ins/app.ts';
import { proceduresOf, schemasOf } from '../src/platform/trpc/procedures.ts';

// npm run procedures: checks that every procedure has a schema for its input and one for its output, and that no file
// of src/ writes to `_def`, which is tRPC's own.

for (const router of [publicRouter, appRouter, entranceRouter]) {
  for (const procedure of proceduresOf(router)) schemasOf(procedure);
}

/** An assignment to `_def` or to something in it, or a function that changes the object it gets. */
const writes =
  /_def\b(\??\.\w+|\[[^\]]*\])*\s*(\?\?|\|\||&&)?=(?![=>])|\b(assign|defineProperty|set|deleteProperty)\(\s*[\w.]*_def\b/;

const root = join(import.meta.dirname, '..');
for (const file of globSync('src/**/*.{ts,tsx}', { cwd: root, exclude: ['src/db/generated/**'] })) {
  if (!writes.test(readFileSync(join(root, file), 'utf8'))) continue;
  console.error(`${file} writes to _def, which belongs to tRPC`);
  process.exitCode = 1;
}
