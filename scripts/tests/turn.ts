// npm run test:turn [-- COMMITS]: the slow tests that CI runs for this number of commits; without a number, for those of this checkout.

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { always, filesOfTurn, parts, sampleOf, slowFiles } from './rings.ts';

const root = join(import.meta.dirname, '..', '..');
const given = process.argv[2];
const commits = Number(given ?? execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8' }));
if (!Number.isSafeInteger(commits) || commits < 0) {
  console.error('Usage: npm run test:turn [-- COMMITS]');
  process.exit(2);
}

const files = filesOfTurn(slowFiles(root), commits);
console.log(`Part ${(commits % parts) + 1} of ${parts} of the slow tests, by the number of commits (${commits}): ${files.length} files, of which
${always.length} always run. Again: npm run test:turn -- ${commits}`);
const seed = String(sampleOf(commits));
const env = { ...process.env, HOSTILE_SEED: seed, WALK_SEED: seed };
// Slow tests mostly wait for processes that they start, so more of them run at once than of the others.
const { status } = spawnSync('vitest', ['run', '--maxWorkers=4', ...files], { cwd: root, stdio: 'inherit', env });
process.exitCode = status ?? 1;
