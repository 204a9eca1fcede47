import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isStamped, run, say, stampOf } from './run.mjs';

/** Whether dist/web was built from the current sources and packages. @param {string} project */
export function uiIsCurrent(project) {
  const { page, stamp: file } = filesOf(project);
  return existsSync(page) && isStamped(file, stamp(project));
}

/** @param {string} project */
export async function buildUi(project) {
  const files = filesOf(project);
  const made = stamp(project); // before the build, so that files saved meanwhile cause another build
  say('Building the app …');
  rmSync(files.stamp, { force: true });
  await run(files.node, [files.vite, 'build', '--config', join(files.source, 'vite.config.ts'), '--logLevel', 'warn'], {
    cwd: project,
  });
  compress(files.built);
  writeFileSync(files.stamp, made);
}

/** Compresses the files once, at the highest level, instead of for every request. @param {string} folder */
function compress(folder) {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!['.js', '.css', '.html', '.svg'].includes(extname(path))) continue;
    const body = readFileSync(join(folder, path));
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(body));
    writeFileSync(join(folder, `${path}.gz`), gzipSync(body, { level: 9 }));
  }
}

/** @param {string} project */
function filesOf(project) {
  const built = join(project, 'dist', 'web');
  return {
    source: join(project, 'src', 'web'),
    built,
    page: join(built, 'index.html'),
    stamp: join(built, '.built'),
    node: join(project, 'node_modules', '.bin', 'node'),
    vite: join(project, 'node_modules', 'vite', 'bin', 'vite.js'),
  };
}

/** @param {string} project */
function stamp(project) {
  return stampOf(project, { files: ['package-lock.json'], folders: ['src/web'] });
}
