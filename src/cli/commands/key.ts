import { Option, type Command } from '@commander-js/extra-typings';
import { limits } from '../../core/limits.ts';
import { keyTemplates } from '../../core/scopes.ts';
import { answer as answered, toSnake } from '../../core/spelling.ts';
import { createKey, listKeys, revokeKey, rotateKey, teamOfKey } from '../../modules/keys/service.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn } from '../../platform/team-row.ts';
import { answering, answeringInTeam, answerInTeam, operator, fields, type AnswerCommand } from '../command.ts';
import { keyName, list, scopeList, seconds, time } from '../values.ts';

const shownOnce = (value: object): string => `${fields(value)}\n\nThe key is shown only now: it is stored nowhere.`;

const teamWithKey = async (platform: Platform, key: string) =>
  actIn(platform, operator, await teamOfKey(platform, key));

export const keyCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program.command('key').description('create, list, revoke and rotate API keys');

  answeringInTeam(group, 'create', 'create a key; its scopes can’t be changed later', 'for which team')
    .requiredOption('--name <name>', 'the name', keyName)
    .requiredOption('--by <member id>', 'the member who creates it: the owner, or an active admin who may make keys')
    .addOption(new Option('--scopes <a,b>', 'what it may do').argParser(scopeList).conflicts('template'))
    .addOption(
      new Option('--template <template>', 'or a ready-made selection').choices([
        'read_only',
        'read_assignments',
        'all',
      ] as const),
    )
    .option('--ip <CIDR,…>', 'the addresses and networks that may use it; any, unless given', list)
    .option('--expires <time>', 'when it ends, like 2027-01-31T12:00:00Z; never, unless given', time)
    .action((options, command) => {
      const { name, by, ip: allowedIps = [], expires: expiresAt = null } = options;
      const scopes = options.scopes ?? (options.template && keyTemplates[options.template]);
      if (scopes === undefined) return command.error('error: one of --scopes and --template is needed');
      const create = (acting: Team) => answered(createKey(acting, { name, by, scopes, allowedIps, expiresAt }));
      return answerInTeam(answer, options, create, shownOnce);
    });

  answeringInTeam(group, 'list', 'a team’s keys, newest first', 'of which team').action((options) =>
    answerInTeam(answer, options, (team) => answered(listKeys(team))),
  );

  answering(group, 'revoke', 'revoke a key immediately')
    .requiredOption('--key <id>', 'which one')
    .action((options) =>
      answer(options, async ({ platform }) => {
        await revokeKey(await teamWithKey(platform, options.key), options.key);
        return { key_id: options.key, status: 'revoked' };
      }),
    );

  answering(group, 'rotate', 'rotate a key; both keys work until the grace period ends')
    .requiredOption('--key <id>', 'which one')
    .requiredOption(
      '--grace <seconds>',
      `how long the old one still works, at most ${limits.keyRotationGraceDays} days`,
      seconds,
    )
    .action((options) =>
      answer(
        options,
        async ({ platform }) =>
          toSnake(
            await rotateKey(await teamWithKey(platform, options.key), options.key, { graceSeconds: options.grace }),
          ),
        shownOnce,
      ),
    );
};
