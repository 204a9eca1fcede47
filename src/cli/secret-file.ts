import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { english } from '../core/language.ts';
import { fail } from '../core/problem.ts';

/**
 * Reads a secret from a file, or from the standard input (`-`). A secret is not a flag, because other users of the
 * machine could see it in the list of processes.
 */
export const readSecret = async (
  file: string,
  { stdin, field }: { stdin: Readable; field: string },
): Promise<string> => {
  const refuse = (detail: string) => fail('validation_error', { field, detail: english(detail) });
  const read = () =>
    readFile(file, 'utf8').catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return refuse(code === 'ENOENT' ? `The file ${file} does not exist.` : `The file ${file} can’t be read.`);
    });
  const secret = (await (file === '-' ? textOf(stdin) : read())).trim();
  if (secret === '') refuse(file === '-' ? 'The standard input is empty.' : `The file ${file} is empty.`);
  return secret;
};
