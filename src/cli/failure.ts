import { CommanderError } from '@commander-js/extra-typings';
import { ConfigError } from '../config.ts';
import { Problem, problems } from '../core/problem.ts';
import { isUnavailable } from '../db/unavailable.ts';

/** What a command ends with when it is not done. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** 1: refused. 2: wrong usage. */
  readonly exitCode: 1 | 2;
}

/** A command that printed its answer, which says that it was not successful: the exit code is 1, and there is nothing more to say. */
export class Unsuccessful extends Error {
  override readonly name = 'Unsuccessful';
}

const problemMessage = ({ code, members }: Problem): string => {
  const { field, detail } = members;
  return [problems[code].title.en, field, detail].filter((part) => part !== undefined).join(': ');
};

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  // Of several addresses that were tried, each failed in its own way.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
};

export const failureOf = (error: unknown): Failure => {
  if (error instanceof CommanderError) {
    // Without a command, the parser shows its help and has nothing to say itself.
    const message = error.code === 'commander.help' ? 'A command is missing; --help lists them.' : error.message;
    return { code: 'usage', message: message.replace(/^error: /, ''), exitCode: 2 };
  }
  if (error instanceof Problem) return { code: error.code, message: problemMessage(error), exitCode: 1 };
  if (error instanceof ConfigError) return { code: 'configuration', message: error.message, exitCode: 1 };
  if (isUnavailable(error)) {
    return { code: 'unavailable', message: `The database can not be reached: ${messageOf(error)}`, exitCode: 1 };
  }
  return { code: 'internal', message: messageOf(error), exitCode: 1 };
};

/** What a person is told. Whoever looks for a bug, which is what nobody foresaw, needs to know where it happened too. */
export const explanationOf = (error: unknown): string => {
  const { code, message } = failureOf(error);
  return (code === 'internal' && error instanceof Error ? error.stack : undefined) ?? message;
};
