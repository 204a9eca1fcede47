import type { TestProject } from 'vitest/node';
import { urlOf } from '../support/database-url.ts';

/** The tests make their databases on the machines that this coordinator knows. */
export default (project: TestProject): void => {
  const citusUrl = process.env['CITUS_URL'];
  if (citusUrl === undefined) return;
  project.provide('chromium', '');
  project.provide('databaseServer', { adminUrl: urlOf(citusUrl, 'postgres'), template: 'template1', citusUrl });
};
