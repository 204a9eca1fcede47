import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { databasesNamed, dropFromMachines } from '../../scripts/kit/citus.ts';
import { urlOf } from '../support/throw-away-postgres.ts';

/**
 * The tests make their databases on the machines that this coordinator knows. At the end those that are left are
 * dropped.
 */
export default (project: TestProject): (() => Promise<void>) | undefined => {
  const url = process.env['CITUS_URL'];
  if (url === undefined) return undefined;
  const beginning = `test_${randomBytes(4).toString('hex')}_`;
  project.provide('chromium', '');
  project.provide('databaseServer', {
    adminUrl: urlOf(url, 'postgres'),
    template: 'template1',
    citus: { url, beginning, closesHalf: process.env['CITUS_CLOSED'] !== undefined },
  });
  return async () => {
    for (const name of await databasesNamed(url, beginning)) await dropFromMachines(url, name);
  };
};
