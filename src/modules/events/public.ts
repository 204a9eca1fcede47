import { toSnake } from '../../core/spelling.ts';
import { feedLimits } from '../../core/limits.ts';
import { apiKeyProcedureWithoutSlot, keyRouter, route, withReadSlot } from '../../platform/trpc/procedures.ts';
import type { KeyContext } from '../../platform/trpc/context.ts';
import { exampleBodyOf } from './payloads.ts';
import { EventPage, EventsQuery } from './schema.ts';
import { listEvents, waitForEvents } from './service.ts';

const { waiting, waitSeconds } = feedLimits;

const waitFor = async ({ team, principal, answerProgress, isClosing }: KeyContext, query: EventsQuery) => {
  // A person's right is not checked again after a wait, so only requests with a key wait.
  if (query.wait === 0 || principal.kind !== 'key' || !answerProgress) return undefined;
  return waitForEvents(team, query, {
    isOver: () => answerProgress.isGone() || isClosing?.() === true,
    waited: (milliseconds) => (answerProgress.waitedMs = milliseconds),
  });
};

export const events = keyRouter({
  list: apiKeyProcedureWithoutSlot
    .meta(
      route('GET /events', {
        operationId: 'listEvents',
        scope: 'webhooks:manage',
        summary: 'Read the event feed',
        description:
          'The team’s events of the last 30 days (unless the operator changes this), each exactly once and in the same order for every reader. They are the events that webhooks deliver, except `audit.recorded`. ' +
          'The feed needs no webhook endpoint, and also has the `ping` of an endpoint’s test. ' +
          'A feed has no end: process a page, store its `next_cursor`, and ask again with it, at once while `has_more` is true, otherwise with `wait`. ' +
          'Events are in the order in which they became readable, so `created_at` may be a little out of order. ' +
          `With \`wait\` a request is answered as soon as there is an event, after at most ${waitSeconds} seconds. ${waiting.ofOneTeam} requests of a team can wait at once; further ones may get 429.`,
        example: {
          input: { limit: 50, wait: waitSeconds },
          output: {
            data: [JSON.parse(exampleBodyOf('evaluation.completed'))],
            next_cursor: 'WzQyXQ.q1Jx0bXo0QmXo4y8v8Jk1lq0bq6l8v0r8C2xZc3fN1s',
            has_more: false,
            has_gap: false,
          },
        },
      }),
    )
    .input(EventsQuery)
    .output(EventPage)
    .use(async ({ ctx, input, next }) => next({ ctx: { waited: await waitFor(ctx, input) } }))
    .use(withReadSlot)
    .query(async ({ ctx, input }) => {
      // Events are sent in the form in which they are stored.
      const { data, ...page } = await listEvents(ctx.team, input, ctx.waited);
      return { ...toSnake(page), data };
    }),
});
