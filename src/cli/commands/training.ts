import { Option, type Command } from '@commander-js/extra-typings';
import { trainingStatuses } from '../../modules/trainings/schema.ts';
import { recordTraining } from '../record-training.ts';
import { readTrainings, recordTrainings, trainingOf, usualScore } from '../training-file.ts';
import { answering, answerInTeam, type AnswerCommand } from '../command.ts';
import { score, time } from '../values.ts';

export const trainingCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program.command('training').description('record trainings that took place elsewhere, or test data');

  answering(group, 'record', 'record a training, or those of a file, with their events, figures and assignments')
    .requiredOption('--team <id>', 'in which team')
    .option('--member <id>', 'the active member who practised')
    .option(
      '--file <file>',
      'trainings in a file, a JSON object a line with the names of the other options: {"member": "…", "score": 72}',
    )
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
    .action(async (options, command) => {
      const { member, file, score: given, status, assignment, at } = options;
      if (file !== undefined) {
        if ([member, given, status, assignment, at].some((value) => value !== undefined)) {
          command.error('error: --file has the options of each training in its lines');
        }
        // The file is checked first, because this needs no database.
        const trainings = await readTrainings(file);
        return answerInTeam(answer, options, async (team, { report }) => {
          const ids = await recordTrainings(team, trainings, (count) => {
            if (count % 1_000 === 0) report(`${count} of ${trainings.size} recorded`);
          });
          return { recorded: ids.length, training_ids: ids };
        });
      }
      if (member === undefined) return command.error('error: --member or --file is missing');
      if (given !== undefined && status !== undefined && status !== 'scored') {
        command.error(`error: --score is for a training that is scored, not ${status}`);
      }
      const training = trainingOf({ member, score: given, status, assignment, at });
      return answerInTeam(answer, options, async (team) => ({ training_id: await recordTraining(team, training) }));
    });
};
