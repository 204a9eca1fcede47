import { createWriteStream } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Option, type Command } from '@commander-js/extra-typings';
import { languages, english } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { answer as answered, toSnake } from '../../core/spelling.ts';
import { deleteTeamData, startDeletion } from '../../modules/team-deletion/service.ts';
import { changeTeam, createTeam, findTeams, listTeams } from '../../modules/teams/service.ts';
import { exportSnapshot } from '../../modules/export/service.ts';
import type { Team } from '../../platform/team.ts';
import { teamName as nameOf } from '../../platform/team-row.ts';
import { fail } from '../../core/problem.ts';
import { answering, answeringInTeam, answerInTeam, operator, type AnswerCommand } from '../command.ts';
import { companyAccountCommand } from './company-account.ts';
import { count, email, onOff, password, teamName } from '../values.ts';

const planOption = () => new Option('--plan <plan>', 'the plan').choices(['basic', 'team', 'enterprise'] as const);

/** Why a file could not be created. */
const whyNotMade = (error: unknown, file: string): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EEXIST') return `The file ${file} already exists.`;
  if (code === 'ENOENT') return `The folder of ${file} does not exist.`;
  return error instanceof Error ? error.message : String(error);
};

/** Writes a team's export to a new file. If it fails, the file is removed. */
const exportTo = async (team: Team, file: string) => {
  // The file has personal data, so other users of the machine must not read it.
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await once(out, 'open');
  } catch (error) {
    return fail('validation_error', { field: 'out', detail: english(whyNotMade(error, file)) });
  }
  try {
    const { files, ...summary } = await exportSnapshot(team, out);
    const rows = [...files.values()].reduce((sum, some) => sum + some, 0);
    return toSnake({ ...summary, file, bytes: (await stat(file)).size, rows, files });
  } catch (error) {
    await unlink(file);
    throw error;
  }
};

export const teamCommands = (program: Command, answer: AnswerCommand, stdin: Readable): void => {
  const group = program.command('team').description('create, change and find teams');

  answering(group, 'create', 'create a team with its owner, who gets an email to sign in')
    .requiredOption('--name <name>', 'the name', teamName)
    .requiredOption('--owner-email <email>', 'who owns it', email)
    .option('--owner-password <password>', 'the owner’s password', password)
    .addOption(planOption().default('team' as const))
    .option('--seats <number>', 'number of seats', count, 10)
    .option(
      '--rate-limit <number>',
      'requests per minute for all keys of the team',
      count,
      limits.requestsPerTeamPerMinute,
    )
    .addOption(new Option('--language <language>', 'of mails to it').choices(languages).default('de' as const))
    .action((options) => answer(options, ({ platform }) => answered(createTeam(platform, operator, options))));

  answeringInTeam(group, 'set', 'change a team’s plan, seats, limit or status', 'which one')
    .addOption(
      new Option('--status <status>', 'the team’s status; keys work only while it is active').choices([
        'active',
        'suspended',
        'ended',
      ] as const),
    )
    .addOption(planOption())
    .option('--seats <number>', 'number of seats', count)
    .option('--rate-limit <number>', 'requests per minute for all keys of the team', count)
    .option('--member-detail <on|off>', 'show member-level data', onOff)
    .option('--leaderboard <on|off>', 'show the leaderboard', onOff)
    .action((options) => answerInTeam(answer, options, (team) => answered(changeTeam(team, options))));

  answering(
    group,
    'delete',
    'delete a team and all of its data immediately and permanently; waits until everything is deleted',
  )
    .requiredOption('--team <id>', 'which one')
    .requiredOption('--confirm <name>', 'its name, exactly as it is written')
    .action((options, command) =>
      answerInTeam(answer, options, async (team, { platform, report }) => {
        const name = await nameOf(platform.database.prisma, team);
        if (options.confirm !== name) command.error(`error: the team ${team.id} has another name: nothing was deleted`);
        await startDeletion(team);
        report('Deleting. If you stop this command, the worker continues.');
        await deleteTeamData(platform, team.id);
        return { tenant_id: team.id, name, deleted: true };
      }),
    );

  companyAccountCommand(group, answer, stdin);

  answeringInTeam(group, 'export', 'write all data of a team to a ZIP of JSON files; see docs/export.md', 'which one')
    .requiredOption('--out <file>', 'the ZIP to make; it must not exist yet')
    .action((options) => answerInTeam(answer, options, (team) => exportTo(team, options.out)));

  answering(group, 'list', 'all teams, oldest first').action((options) =>
    answer(options, ({ platform }) => answered(listTeams(platform))),
  );

  answering(group, 'find <text>', 'teams by name, a member’s email, any id, or a key’s prefix').action(
    (text, options) => answer(options, ({ platform }) => answered(findTeams(platform, text))),
  );
};
