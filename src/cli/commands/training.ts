import { Option, type Command } from '@commander-js/extra-typings';
import { trainingStatuses } from '../../modules/trainings/schema.ts';
import { recordTraining } from '../record-training.ts';
import { answering, answerInTeam, type Answer } from '../command.ts';
import { score, time } from '../values.ts';

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
      time,
    )
    .action((options, command) => {
      const { member: memberId, assignment: assignmentId, at } = options;
      const status = options.status ?? (options.score === undefined ? 'ended' : 'scored');
      if (options.score !== undefined && status !== 'scored') {
        command.error(`error: --score is for a training that is scored, not ${status}`);
      }
      const training = { memberId, assignmentId, at, status, score: options.score ?? usualScore };
      return answerInTeam(answer, options, async (team) => ({ training_id: await recordTraining(team, training) }));
    });
};
