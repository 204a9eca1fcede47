import type { Command } from '@commander-js/extra-typings';
import { z } from 'zod';
import { answer as answered, toSnake } from '../../core/spelling.ts';
import { recoverEndpoint, replayEvent } from '../../modules/webhooks/manual-deliveries.ts';
import { attemptsOf } from '../../modules/webhooks/history.ts';
import { Attempt } from '../../modules/webhooks/schema.ts';
import { endpointsOf, getEndpoint } from '../../modules/webhooks/service.ts';
import { resealSecrets } from '../../modules/webhooks/cleanup.ts';
import { queueOf, queueStatus } from '../../deliveries/queue-status.ts';
import { asShown } from '../../platform/values.ts';
import { answering, answeringInTeam, answerInTeam, fields, table, type AnswerCommand } from '../command.ts';
import { time } from '../values.ts';

const statusText = ({ endpoints, ...all }: Awaited<ReturnType<typeof queueStatus>>): string =>
  [fields(all), ...(endpoints.length === 0 ? [] : [table(endpoints)])].join('\n\n');

export const webhooksCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program.command('webhooks').description('show webhook deliveries and send events again');

  answering(group, 'status', 'pending and due deliveries, and endpoints with overdue ones').action((options) =>
    answer(options, ({ platform }) => queueStatus(platform), statusText),
  );

  answeringInTeam(group, 'endpoints', 'a team’s endpoints, newest first', 'of which team').action((options) =>
    answerInTeam(answer, options, async (team) =>
      (await endpointsOf(team)).map(({ id, ...endpoint }) => toSnake({ endpointId: id, ...endpoint })),
    ),
  );

  answeringInTeam(group, 'queue', 'what an endpoint’s deliveries wait for', 'of which team')
    .requiredOption('--endpoint <id>', 'which endpoint')
    .action((options) =>
      answerInTeam(answer, options, async (team) => {
        const { id } = await getEndpoint(team, options.endpoint);
        return queueOf(team, id);
      }),
    );

  answering(group, 'attempts', 'the attempts of a delivery with request and response, newest first')
    .requiredOption('--team <id>', 'of which team')
    .requiredOption('--delivery <id>', 'which delivery')
    .action((options) =>
      answerInTeam(
        answer,
        options,
        async (team) => asShown(z.array(Attempt), team.privacy, await answered(attemptsOf(team, options.delivery))),
        (attempts) => (attempts.length === 0 ? 'None.' : attempts.map(fields).join('\n\n')),
      ),
    );

  answeringInTeam(group, 'replay', 'replay an event to an endpoint', 'of which team')
    .requiredOption('--event <id>', 'the event’s id, with or without evt_')
    .requiredOption('--endpoint <id>', 'id of an active endpoint')
    .action((options) =>
      answerInTeam(answer, options, (team) =>
        answered(replayEvent(team, { eventId: options.event, endpointId: options.endpoint })),
      ),
    );

  answeringInTeam(group, 'recover', 'recover the events that an endpoint missed since a time', 'of which team')
    .requiredOption('--endpoint <id>', 'id of an active endpoint')
    .requiredOption('--since <time>', 'events created at or after this time, like 2026-11-20T08:30:00Z', time)
    .option('--include-older', 'also events from before the endpoint was created')
    .option('--dry-run', 'only count them')
    .action(({ endpoint: endpointId, ...options }) =>
      answerInTeam(answer, options, (team) => recoverEndpoint(team, { endpointId, ...options })),
    );

  answering(
    group,
    'reseal',
    'encrypt endpoint secrets with the APP_SECRET in use, before a former one is dropped',
  ).action((options) =>
    answer(options, async ({ platform }) => {
      const { resealed, lost, lostIds } = await resealSecrets(platform);
      return { resealed, lost, lost_endpoints: lostIds };
    }),
  );
};
