import process from 'node:process';
import { Command, CommanderError } from '@commander-js/extra-typings';
import { catalogCommands } from './commands/catalog.ts';
import { crmCommands } from './commands/crm.ts';
import { demoCommand } from './commands/demo.ts';
import { keyCommands } from './commands/key.ts';
import { maintenanceCommands } from './commands/maintenance.ts';
import { mailCommands } from './commands/mail.ts';
import { secretsCommands } from './commands/secrets.ts';
import { memberCommands } from './commands/member.ts';
import { personCommands } from './commands/person.ts';
import { teamCommands } from './commands/team.ts';
import { trainingCommands } from './commands/training.ts';
import { webhooksCommands } from './commands/webhooks.ts';
import { explanationOf, failureOf, Unsuccessful } from './failure.ts';

const makeProgram = (json: boolean): Command => {
  const program = new Command('npm run -s cli --')
    .description(
      'What an operator does: teams, members, people, keys, mails, the catalog, webhooks, CRM connections, maintenance, secrets and the demo. Works beside a running service or without one.',
    )
    .exitOverride()
    // With --json a failure is one document on stderr, which runCli writes.
    .configureOutput(json ? { writeErr: () => {} } : {})
    .showHelpAfterError('(--help tells more)')
    .addHelpText('after', '\nExit code: 0 done, 1 refused, 2 wrong usage.');
  teamCommands(program);
  memberCommands(program);
  personCommands(program);
  keyCommands(program);
  mailCommands(program);
  catalogCommands(program);
  trainingCommands(program);
  webhooksCommands(program);
  maintenanceCommands(program);
  secretsCommands(program);
  crmCommands(program);
  demoCommand(program);
  return program;
};

const tell = (error: unknown, json: boolean): number => {
  const { code, message, exitCode } = failureOf(error);
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
  } else if (!(error instanceof CommanderError)) {
    process.stderr.write(`${explanationOf(error)}\n`);
  }
  return exitCode;
};

/** Runs one command and returns the exit code. */
export const runCli = async (args: readonly string[]): Promise<number> => {
  const json = args.includes('--json');
  try {
    await makeProgram(json).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Unsuccessful) return 1;
    const helpWasAskedFor = error instanceof CommanderError && error.exitCode === 0;
    return helpWasAskedFor ? 0 : tell(error, json);
  }
};
