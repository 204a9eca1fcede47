import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { definedQueries, type Query } from '../../src/db/query.ts';

const root = join(import.meta.dirname, '..', '..');

/** The service's source files, as paths from the project's folder; without what Prisma generates. */
export const sourceFiles = (): string[] =>
  globSync('src/**/*.ts', { cwd: root, exclude: ['src/db/generated/**', 'src/web/**'] }).toSorted();

export const sourceOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const definesQueries = /import \{[^}]*\} from '[./\w-]*\/(?:query|keyset-list|walk-list)\.ts'/;

/** Every named query of the service: loads all files that define one. */
export const loadQueries = async (): Promise<readonly Query[]> => {
  for (const file of sourceFiles()) {
    if (definesQueries.test(sourceOf(file))) await import(pathToFileURL(join(root, file)).href);
  }
  return definedQueries().toSorted((one, other) => one.name.localeCompare(other.name));
};
