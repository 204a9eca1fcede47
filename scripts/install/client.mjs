import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStamped, run, say } from './run.mjs';

/** Whether src/db/generated was generated from the current schema by the installed Prisma. @param {string} project */
export function clientIsCurrent(project) {
  const files = filesOf(project);
  if (!existsSync(files.schema)) return true;
  return existsSync(files.client) && isStamped(files.stamp, stamp(files));
}

/** @param {string} project */
export async function generateClient(project) {
  const files = filesOf(project);
  const made = stamp(files); // before the work: a schema that is saved meanwhile is generated again
  say('Generating the database client …');
  rmSync(files.stamp, { force: true });
  await run(files.node, [files.prisma, 'generate', '--schema', files.schema, '--no-hints'], {
    cwd: project,
    env: {
      // The generator needs no schema engine but downloads one if the path is missing. Any existing file satisfies the check.
      PRISMA_SCHEMA_ENGINE_BINARY: files.node,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  writeFileSync(files.stamp, made);
}

/** @param {string} project */
function filesOf(project) {
  const modules = join(project, 'node_modules');
  return {
    schema: join(project, 'prisma', 'schema.prisma'),
    client: join(project, 'src', 'db', 'generated', 'client.ts'),
    stamp: join(modules, '.generated'),
    node: join(modules, '.bin', 'node'),
    prisma: join(modules, 'prisma', 'build', 'index.js'),
    version: join(modules, 'prisma', 'package.json'),
  };
}

/** @param {ReturnType<typeof filesOf>} files */
function stamp(files) {
  const hash = createHash('sha256').update(readFileSync(files.schema)).update(readFileSync(files.version));
  return `${hash.digest('hex')}\n`;
}
