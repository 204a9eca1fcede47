import { createInterface } from 'node:readline';
import { Option, type Command } from '@commander-js/extra-typings';
import { canonicalEmail } from '../../core/email-address.ts';
import { answer as answered, toSnake } from '../../core/spelling.ts';
import { eraseAll, erasePerson } from '../../modules/erasure/service.ts';
import { keyRight } from '../../modules/keys/schema.ts';
import { passwordLink, roster } from '../../modules/members/service.ts';
import { addActivePerson, inviteMember } from '../../modules/members/invitations.ts';
import type { Team } from '../../platform/team.ts';
import {
  answering,
  answeringInTeam,
  answerInTeam,
  operator,
  table,
  type ProcessContext,
  type AnswerCommand,
} from '../command.ts';
import { email, password } from '../values.ts';

/** The names of the right for API keys: the app's name, and the stored one. */
const namesOfKeyRight = ['api-keys', keyRight] as const;

export const memberCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program.command('member').description('add and list members, help them sign in');

  answeringInTeam(group, 'add', 'invite a member by email, or add an active member directly', 'to which team')
    .requiredOption('--email <email>', 'whom', email)
    .addOption(new Option('--role <role>', 'as what').choices(['member', 'admin'] as const).default('member' as const))
    .option('--active', 'without an invitation')
    .option('--password <password>', 'what they sign in with; only with --active', password)
    .addOption(
      new Option('--rights <right>', 'what an admin may do beyond their role; both names mean the same').choices(
        namesOfKeyRight,
      ),
    )
    .action((options, command) => {
      const { active, rights, ...person } = options;
      if (person.password !== undefined && !active) {
        command.error('error: --password needs --active: who is invited chooses their own');
      }
      if (rights !== undefined && person.role !== 'admin') {
        command.error('error: --rights needs --role admin: only the owner and admins make API keys');
      }
      const add = async (team: Team) => {
        const wanted = { ...person, rights: rights === undefined ? [] : [keyRight] };
        const member = active ? await addActivePerson(team, wanted) : await inviteMember(team, wanted);
        return toSnake({ memberId: member.id, userId: member.userId });
      };
      return answerInTeam(answer, options, add);
    });

  answeringInTeam(group, 'list', 'list a team’s members and invitations, the owner first', 'of which team').action(
    (options) => answerInTeam(answer, options, (team) => answered(roster(team))),
  );

  answeringInTeam(group, 'password', 'create a password reset link for a member', 'of which team')
    .requiredOption('--member <id>', 'for whom')
    .action((options) =>
      answerInTeam(answer, options, async (team) => ({ link: await passwordLink(team, options.member) })),
    );
};

/** The next line of the input; an empty text at its end. */
const typedLine = async (stdin: ProcessContext['stdin']): Promise<string> => {
  for await (const line of createInterface({ input: stdin })) return line.trim();
  return '';
};

export const personCommands = (
  program: Command,
  answer: AnswerCommand,
  { stdin, stdout, stderr }: ProcessContext,
): void => {
  const group = program.command('person').description('commands for one person in all teams');

  const isTerminal = stdin.isTTY && stdout.isTTY;

  /** Asks for the address once more. */
  const repeatedOnTerminal = async (address: string): Promise<string> => {
    stderr.write(`This erases ${address} from all teams and can't be undone. Repeat the address: `);
    const line = await typedLine(stdin);
    return canonicalEmail(line) ?? line;
  };

  answering(group, 'erase', 'delete an account and all of the person’s data, in all teams; see docs/export.md')
    .requiredOption('--email <email>', 'whose', email)
    .option('--confirm <email>', 'repeat the address to confirm; required where no terminal can ask for it', email)
    .action(async ({ confirm, ...options }, command) => {
      const repeated = confirm ?? (isTerminal ? await repeatedOnTerminal(options.email) : undefined);
      if (repeated === undefined) command.error(`error: this can't be undone: --confirm ${options.email} is required`);
      if (repeated !== options.email) {
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
        ({ teams }) =>
          teams.length > 0
            ? table(teams)
            : 'The person was in no team; the account and invitations that wait are deleted.',
      );
    });
};
