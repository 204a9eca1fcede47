import { Option } from '@commander-js/extra-typings';
import type { Command } from '@commander-js/extra-typings';
import { keyRight } from '../../modules/keys/service.ts';
import { addActivePerson, inviteMember, passwordLink, roster } from '../../modules/members/service.ts';
import { actIn } from '../../modules/teams/service.ts';
import { answering } from '../command.ts';
import { operator } from '../session.ts';
import type { Answer } from '../session.ts';
import { email, password } from '../values.ts';

export const memberCommands = (program: Command, answer: Answer): void => {
  const group = program.command('member').description('add and list members, help them sign in');

  answering(group, 'add', 'invite somebody by mail, or make them an active member at once')
    .requiredOption('--team <id>', 'to which team')
    .requiredOption('--email <email>', 'whom', email)
    .addOption(new Option('--role <role>', 'as what').choices(['member', 'admin'] as const).default('member' as const))
    .option('--active', 'without an invitation')
    .option('--password <password>', 'what they sign in with; only with --active', password)
    .addOption(new Option('--rights <right>', 'what they may do beyond their role').choices([keyRight] as const))
    .action((options, command) => {
      const { team: id, active, rights, ...person } = options;
      if (person.password !== undefined && !active) {
        command.error('error: --password needs --active: who is invited chooses their own');
      }
      return answer(options, async ({ platform }) => {
        const team = await actIn(platform, operator, id);
        const wanted = { ...person, rights: rights === undefined ? [] : [rights] };
        const member = active ? await addActivePerson(team, wanted) : await inviteMember(team, wanted);
        return { member_id: member.id, user_id: member.user_id };
      });
    });

  answering(group, 'list', 'everybody in a team or invited to it, the owner first')
    .requiredOption('--team <id>', 'of which team')
    .action((options) =>
      answer(options, async ({ platform }) => roster(await actIn(platform, operator, options.team))),
    );

  answering(group, 'password', 'make a link with which a member sets a new password')
    .requiredOption('--team <id>', 'of which team')
    .requiredOption('--member <id>', 'for whom')
    .action((options) =>
      answer(options, async ({ platform }) => ({
        link: await passwordLink(await actIn(platform, operator, options.team), options.member),
      })),
    );
};
