import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Command } from '@commander-js/extra-typings';
import { readInstant } from '../../core/clock.ts';
import { trainingStatuses } from '../../modules/trainings/schema.ts';
import { recordTraining } from '../../modules/trainings/recording.ts';
import { actIn } from '../../modules/teams/service.ts';
import { answering, operator } from '../command.ts';
import type { Answer } from '../command.ts';

const score = (text: string): number => {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError('Enter a whole number from 0 to 100.');
};

const moment = (text: string): Date => {
  const time = readInstant(text);
  if (time) return time;
  throw new InvalidArgumentError('Enter a time like 2026-11-20T08:30:00Z.');
};

const usualScore = 70;

export const trainingCommands = (program: Command, answer: Answer): void => {
  const group = program.command('training').description('record trainings that took place elsewhere, or test data');

  answering(group, 'record', 'record a training, with its events, figures and assignment')
    .requiredOption('--team <id>', 'in which team')
    .requiredOption('--member <id>', 'the active member who practised')
    .addOption(
      new Option('--status <status>', 'how far it came; scored with --score, else ended').choices(trainingStatuses),
    )
    .option(
      '--score <0-100>',
      `each dimension and the total of a scored one, with made-up texts; ${usualScore}, unless given`,
      score,
    )
    .option('--assignment <id>', 'the assignment of theirs that it was practised for')
    .option(
      '--at <time>',
      'when it started, like 2026-11-20T08:30:00Z; it ended 8 minutes later. Unless given, it started and ended now',
      moment,
    )
    .action((options, command) => {
      const { team, member: memberId, assignment: assignmentId, at } = options;
      const status = options.status ?? (options.score === undefined ? 'ended' : 'scored');
      if (options.score !== undefined && status !== 'scored') {
        command.error(`error: --score is for a training that is scored, not ${status}`);
      }
      return answer(options, async ({ platform }) => ({
        training_id: await recordTraining(await actIn(platform, operator, team), {
          memberId,
          assignmentId,
          at,
          status,
          score: options.score ?? usualScore,
        }),
      }));
    });
};
