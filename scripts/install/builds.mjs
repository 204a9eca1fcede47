import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isStamped, run, say } from './run.mjs';

// What is built from the sources: the database client, the app, and the client's package. The stamp of a result says
// from which sources.

/**
 * @typedef {object} Build
 * @property {string} doing What is said while it runs.
 * @property {string} result A file of the result.
 * @property {string} stamp The file with the hash of the sources.
 * @property {string[]} sources Files, and folders with all their files.
 * @property {(node: string) => Promise<void>} work
 */

/** The client of the database, which Prisma generates. @param {string} project @returns {Build} */
export function databaseClient(project) {
  const modules = join(project, 'node_modules');
  const schema = join(project, 'prisma', 'schema.prisma');
  const prisma = join(modules, 'prisma', 'build', 'index.js');
  return {
    doing: 'Generating the database client …',
    result: join(project, 'src', 'db', 'generated', 'client.ts'),
    stamp: join(modules, '.generated'),
    sources: [schema, join(modules, 'prisma', 'package.json')],
    work: (node) =>
      run(node, [prisma, 'generate', '--schema', schema, '--no-hints'], {
        cwd: project,
        env: {
          // The generator needs no schema engine but downloads one if the path is missing. Any existing file satisfies
          // the check.
          PRISMA_SCHEMA_ENGINE_BINARY: node,
          PRISMA_HIDE_UPDATE_MESSAGE: '1',
          CHECKPOINT_DISABLE: '1',
        },
      }),
  };
}

/** The app. @param {string} project @returns {Build} */
export function app(project) {
  const built = join(project, 'dist', 'web');
  const source = join(project, 'src', 'web');
  const vite = join(project, 'node_modules', 'vite', 'bin', 'vite.js');
  return {
    doing: 'Building the app …',
    result: join(built, 'index.html'),
    stamp: join(built, '.built'),
    sources: [join(project, 'package-lock.json'), join(project, 'scripts', 'licenses'), source],
    work: async (node) => {
      const args = ['build', '--config', join(source, 'vite.config.ts'), '--logLevel', 'warn'];
      await run(node, [vite, ...args], { cwd: project });
      await run(node, [join(project, 'scripts', 'licenses', 'main.ts'), 'write'], { cwd: project });
      compress(built);
    },
  };
}

/** Compresses the files once, at the highest level, instead of for every request. @param {string} folder */
function compress(folder) {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!['.js', '.css', '.html', '.svg', '.txt'].includes(extname(path))) continue;
    const body = readFileSync(join(folder, path));
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(body));
    writeFileSync(join(folder, `${path}.gz`), gzipSync(body, { level: 9 }));
  }
}

/** The packages that customers install. @param {string} project @returns {Build} */
export function clientPackage(project) {
  const files = ['package.json', 'package-lock.json', 'LICENSE'];
  const sources = [...files, 'src/packages/client', 'src/packages/client-py', 'scripts/client'];
  return {
    doing: 'Building the clients’ packages …',
    result: join(project, 'dist', 'client', 'package.json'),
    // Not in the folder of the result, because all files there are packed.
    stamp: join(project, 'dist', '.client-built'),
    sources: sources.map((path) => join(project, path)),
    work: (node) => run(node, [join(project, 'scripts', 'client', 'main.ts')], { cwd: project }),
  };
}

/** Whether the result was built from the current sources. @param {Build} build */
export function isCurrent({ result, stamp, sources }) {
  return existsSync(result) && isStamped(stamp, hashOf(sources));
}

/** Builds what is not current. @param {string} project @param {Build} build */
export async function bringUpToDate(project, build) {
  if (isCurrent(build)) return;
  const { doing, stamp, sources, work } = build;
  const hash = hashOf(sources); // before the work, so that files saved meanwhile cause another build
  say(doing);
  rmSync(stamp, { force: true });
  await work(join(project, 'node_modules', '.bin', 'node'));
  writeFileSync(stamp, hash);
}

/** @param {string[]} paths */
function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of filesOf(path)) hash.update(file.slice(path.length)).update(readFileSync(file));
  }
  return `${hash.digest('hex')}\n`;
}

/** @param {string} path */
function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
