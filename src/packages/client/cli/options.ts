import { once } from 'node:events';
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The command was called with wrong options. */
export class UsageError extends Error {}

/** Reads the options of a command. Other arguments are refused. */
export const readOptions = <T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) => {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

export const numberOption = (name: string, text: string, { min, max }: { min: number; max: number }): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new UsageError(`--${name} is a whole number from ${min} to ${max}.`);
  }
  return value;
};

export const urlOption = (name: string, text: string): URL => {
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw new UsageError(`--${name} is a URL, http://… or https://….`);
  return new URL(text);
};

/** The names and values of headers that are given as `name: value`. */
export const headerLines = (lines: readonly string[] = []): [name: string, value: string][] =>
  lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new UsageError(`--header ${line}: it is a name, a colon and a value.`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });

/** Resolves when the user or the system ends the program. */
export const untilEnded = (): Promise<unknown> => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

// oxlint-disable-next-line node/no-process-env -- a customer's program has no other settings
export const variable = (name: string): string | undefined => process.env[name] || undefined;

/** The secrets of an option or, without it, of WEBHOOK_SECRET, which may hold two while you change to a new one. */
export const secretsOf = (given: string[] | undefined): string[] =>
  given ??
  variable('WEBHOOK_SECRET')
    ?.split(',')
    .map((one) => one.trim()) ??
  [];
