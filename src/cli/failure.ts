import { CommanderError } from '@commander-js/extra-typings';
import { ConfigError } from '../core/config-error.ts';
import { forOperators } from '../core/language.ts';
import { Problem, problems } from '../core/problem.ts';
import { isUnavailable, isUnreachable } from '../db/unavailable.ts';

/** Why a command failed. */
export interface CommandFailure {
  readonly code: string;
  readonly message: string;
  /** 1: the command was refused or failed. 2: wrong usage. */
  readonly exitCode: 1 | 2;
}

/**
 * The command has printed a result that says that it was not successful. The exit code is 1, and nothing more is
 * printed.
 */
export class Unsuccessful extends Error {
  override readonly name = 'Unsuccessful';
}

const problemMessage = ({ code, members, spoken }: Problem): string => {
  const detail = spoken.detail && forOperators(spoken.detail);
  return [problems[code].title.en, members.field, detail].filter((part) => part !== undefined).join(': ');
};

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  // Several addresses were tried, and each failed in its own way.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
};

export const failureOf = (error: unknown): CommandFailure => {
  if (error instanceof CommanderError) {
    // Without a command, the parser prints its help and has no message of its own.
    const message = error.code === 'commander.help' ? 'A command is missing; --help lists them.' : error.message;
    return { code: 'usage', message: message.replace(/^error: /, ''), exitCode: 2 };
  }
  if (error instanceof Problem) return { code: error.code, message: problemMessage(error), exitCode: 1 };
  if (error instanceof ConfigError) return { code: 'configuration', message: error.message, exitCode: 1 };
  if (isUnavailable(error)) {
    const what = isUnreachable(error) ? 'The database can not be reached' : 'The database was too busy. Try again';
    return { code: 'unavailable', message: `${what}: ${messageOf(error)}`, exitCode: 1 };
  }
  return { code: 'internal', message: messageOf(error), exitCode: 1 };
};

/** The text for a person. An unexpected error is a bug, so its stack is printed too. */
export const explanationOf = (error: unknown): string => {
  const { code, message } = failureOf(error);
  return (code === 'internal' && error instanceof Error ? error.stack : undefined) ?? message;
};
