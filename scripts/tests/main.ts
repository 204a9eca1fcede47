import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { complaintsAbout } from './empty-assertions.ts';

// npm run assertions: refuses assertions of tests that hold whatever the code does.

const root = join(import.meta.dirname, '../..');

for (const file of globSync('test/**/*.test.ts', { cwd: root }).toSorted()) {
  for (const { line, about } of complaintsAbout(readFileSync(join(root, file), 'utf8'))) {
    console.error(`${file}:${line} ${about}`);
    process.exitCode = 1;
  }
}
