import { Command, CommanderError } from '@commander-js/extra-typings';
import { catalogCommands } from './commands/catalog.ts';
import { crmCommands } from './commands/crm.ts';
import { demoCommand, maintenanceCommands, secretsCommands } from './commands/installation.ts';
import { keyCommands } from './commands/key.ts';
import { mailCommands } from './commands/mail.ts';
import { memberCommands, personCommands } from './commands/people.ts';
import { teamCommands } from './commands/team.ts';
import { trainingCommands } from './commands/training.ts';
import { webhooksCommands } from './commands/webhooks.ts';
import { answerIn, type ProcessContext } from './command.ts';
import { explanationOf, failureOf, Unsuccessful } from './failure.ts';

/** The width of help texts that are not printed on a terminal. */
const defaultWidth = 80;

/** A command line with the output, help and exit codes that all command lines of the project have. */
export const commandLine = (name: string, { stdout, stderr }: ProcessContext, json: boolean): Command =>
  new Command(name)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // With --json a failure is one document on stderr, which runCli writes.
      writeErr: (text) => json || stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? defaultWidth,
      getErrHelpWidth: () => stderr.columns ?? defaultWidth,
    })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', '\nExit code: 0 done, 1 refused, 2 wrong usage.');

const makeProgram = (context: ProcessContext, json: boolean): Command => {
  const answer = answerIn(context);
  const program = commandLine('npm run -s cli --', context, json).description(
    'Commands for operators: teams, members, people, keys, mails, the catalog, webhooks, CRM connections, maintenance, secrets and the demo. Works beside a running service or without one.',
  );
  teamCommands(program, answer, context.stdin);
  memberCommands(program, answer);
  personCommands(program, answer, context);
  keyCommands(program, answer);
  mailCommands(program, answer);
  catalogCommands(program, answer);
  trainingCommands(program, answer);
  webhooksCommands(program, answer);
  maintenanceCommands(program, answer);
  secretsCommands(program, answer);
  crmCommands(program, answer, context.stdin);
  demoCommand(program, answer);
  return program;
};

const printFailure = (error: unknown, { stderr }: ProcessContext, json: boolean): number => {
  const { code, message, exitCode } = failureOf(error);
  if (json) {
    stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
  } else if (!(error instanceof CommanderError)) {
    stderr.write(`${explanationOf(error)}\n`);
  }
  return exitCode;
};

/** Runs one command of the operator's command line, or of the one that `make` makes, and returns the exit code. */
export const runCli = async (
  args: readonly string[],
  context: ProcessContext,
  make: (context: ProcessContext, json: boolean) => Command = makeProgram,
): Promise<number> => {
  const json = args.includes('--json');
  try {
    await make(context, json).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Unsuccessful) return 1;
    const helpWasAskedFor = error instanceof CommanderError && error.exitCode === 0;
    return helpWasAskedFor ? 0 : printFailure(error, context, json);
  }
};
