import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { installPackage } from '../../scripts/kit/system.ts';

const run = promisify(execFile);
const folder = 'docs/deploy/monitoring';
const promtool = (...words: string[]) => run('promtool', words, { cwd: folder });

const isThere = () =>
  promtool('--version').then(
    () => true,
    () => false,
  );
/** Why promtool is missing. */
const missing = (await isThere()) ? undefined : await installPackage('prometheus');

it('Prometheus accepts its configuration and the rules, and the alerts fire when they should', async ({ skip }) => {
  // CI installs it: there a check that did not run is a failure.
  if (process.env['CI'] !== undefined) expect(missing).toBeUndefined();
  skip(missing !== undefined, `promtool is missing: ${missing}`);
  expect((await promtool('check', 'config', 'prometheus.yml')).stdout).toContain('1 rule files found');
  expect((await promtool('check', 'rules', '--lint-fatal', 'rules.yml')).stdout).toContain('SUCCESS');
  const tests = (await readdir(folder)).filter((file) => file.endsWith('.test.yml'));
  expect(tests).toHaveLength(4);
  const { stdout } = await promtool('test', 'rules', ...tests);
  expect(stdout.match(/SUCCESS/g)).toHaveLength(tests.length);
  expect(stdout).not.toContain('FAILED');
});
