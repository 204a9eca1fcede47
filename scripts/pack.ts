// npm pack: makes `build/`, the part of the package that runs. Node runs no TypeScript below node_modules, so the types
// are stripped here; paths and line numbers stay the same. `npm pack` starts this before it packs, and deletes `build/`
// after it.

import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { billOfMaterials } from './sbom/bill.ts';

const root = join(import.meta.dirname, '..');
const build = join(root, 'build');

/**
 * Whether the file is code of the service, and not of the app (built separately) or for customers (clients and
 * examples).
 */
const isOfService = (file: string): boolean =>
  !/^src\/(web|packages\/client(-py)?|server\/developers\/examples)\//.test(file);

/** A path to another file of the service, in an import or a `new URL()`. */
const pathToFile = /(\bfrom |\bimport\(|\bimport |new URL\()(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g;

const stripped = (source: string): string =>
  stripTypeScriptTypes(source, { mode: 'strip' }).replace(pathToFile, '$1$2$3.js$2');

const write = (file: string, content: string | Buffer): void => {
  const target = join(build, file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
};

rmSync(build, { recursive: true, force: true });

for (const entry of globSync('src/**/*', { cwd: root, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = join(entry.parentPath, entry.name).slice(root.length + 1);
  if (!isOfService(file) || file.endsWith('.d.ts')) continue;
  const content = readFileSync(join(root, file));
  if (file.endsWith('.ts')) write(file.replace(/\.ts$/, '.js'), stripped(content.toString()));
  else write(file, content);
}

/** Data files that the service reads at run time. */
const read = [
  'package.json',
  'dist/web',
  'dist/client',
  'dist/client-py',
  'prisma/migrations',
  'prisma/schema.prisma',
  'src/server/developers/examples',
  'docs/webhook-test-vectors.json',
  'docs/team-customer-api.postman_collection.json',
  'docs/workflows.arazzo.yaml',
];
for (const place of read) {
  cpSync(join(root, place), join(build, place), { recursive: true });
}

write('sbom.cdx.json', await billOfMaterials(root, 'service'));
