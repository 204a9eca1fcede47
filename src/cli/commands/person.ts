import { createInterface } from 'node:readline';
import type { Command } from '@commander-js/extra-typings';
import { canonicalEmail } from '../../core/email-address.ts';
import { eraseAll, erasePerson } from '../../modules/erasure/service.ts';
import { answering } from '../command.ts';
import type { ProcessContext } from '../process-context.ts';
import { operator } from '../session.ts';
import type { Answer } from '../session.ts';
import { table } from '../text.ts';
import { email } from '../values.ts';

/** The next line that somebody types; empty if there is none. */
const typedLine = async (stdin: ProcessContext['stdin']): Promise<string> => {
  for await (const line of createInterface({ input: stdin })) return line.trim();
  return '';
};

export const personCommands = (program: Command, answer: Answer, { stdin, stdout, stderr }: ProcessContext): void => {
  const group = program.command('person').description('what concerns one person in all teams');

  /** The address as it is repeated on the terminal; undefined where nobody can be asked. */
  const repeatedOnTerminal = async (address: string): Promise<string | undefined> => {
    if (!stdin.isTTY || !stdout.isTTY) return undefined;
    stderr.write(`This erases ${address} from all teams and can't be undone. Repeat the address: `);
    const line = await typedLine(stdin);
    return canonicalEmail(line) ?? line;
  };

  answering(group, 'erase', 'delete an account and all that names its person, in all teams; see docs/export.md')
    .requiredOption('--email <email>', 'whose', email)
    .option('--confirm <email>', 'the address once more; without it, a terminal asks for it', email)
    .action(async ({ confirm, ...options }, command) => {
      const repeated = confirm ?? (options.json ? undefined : await repeatedOnTerminal(options.email));
      if (repeated !== undefined && repeated !== options.email) {
        command.error(`error: this can't be undone, and the addresses differ: --confirm ${options.email} repeats it`);
      }
      return answer(
        options,
        async ({ platform, report }) => {
          const teams = [];
          for (const key of await erasePerson(platform, operator, options.email)) {
            report(`Erasing from the team ${key.tenantId} …`);
            await eraseAll(platform, key);
            teams.push({ tenant_id: key.tenantId });
          }
          return { erased: true, teams };
        },
        ({ teams }) => (teams.length > 0 ? table(teams) : 'The person was in no team; the account is deleted.'),
      );
    });
};
