import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { installPackage } from '../../scripts/kit/system.ts';

const run = promisify(execFile);
const promtool = (...words: string[]) => run('promtool', words, { cwd: 'docs/deploy/monitoring' });

const isThere = () =>
  promtool('--version').then(
    () => true,
    () => false,
  );
/** Why promtool is missing. */
const missing = (await isThere()) ? undefined : await installPackage('prometheus');

it('Prometheus accepts its configuration and the rules, and the alerts fire when they should', async ({ skip }) => {
  skip(missing !== undefined, `promtool is missing: ${missing}`);
  expect((await promtool('check', 'config', 'prometheus.yml')).stdout).toContain('1 rule files found');
  expect((await promtool('check', 'rules', '--lint-fatal', 'rules.yml')).stdout).toContain('SUCCESS');
  expect((await promtool('test', 'rules', 'rules.test.yml', 'rules-over-hours.test.yml')).stdout).not.toContain(
    'FAILED',
  );
});
