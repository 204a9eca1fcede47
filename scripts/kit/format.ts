import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/config.ts';

/** Formats files, so that the code that writes them need not care about long lines. */
export const format = async (...files: string[]): Promise<void> => {
  await promisify(execFile)('node_modules/.bin/oxfmt', files, { cwd: projectRoot });
};
