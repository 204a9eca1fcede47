import { z } from 'zod';
import { problemCodes, ProblemMembers } from '../../core/problem.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Instant, Intervals, Time } from '../../platform/values.ts';

export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;

export const RequestQuery = PageQuery.extend({
  key_id: z.string().optional(),
  request_id: z.string().optional().meta({
    description:
      'The request id, as in `X-Request-Id`. Of refused requests that share an entry, only the first is found.',
  }),
  status: z
    .union([z.enum(statusClasses), z.int().min(100).max(599)])
    .optional()
    .meta({ description: 'A class of statuses, or one status.' }),
  code: z.enum(problemCodes).optional().meta({ description: 'The code of the problem that was answered.' }),
  route: z.string().optional().meta({ description: 'As declared, like `/users/{member_id}`.' }),
  method: z.string().optional(),
  since: Instant.optional().meta({ description: 'Answered at this time or later.' }),
  until: Instant.optional().meta({ description: 'Answered before this time.' }),
});
export type RequestQuery = z.output<typeof RequestQuery>;

const { key_id, status, code, route, method } = RequestQuery.shape;

export const VolumeQuery = Intervals.extend({ key_id, status, code, route, method });
export type VolumeQuery = z.output<typeof VolumeQuery>;

export const Volume = z.object({
  data: z
    .array(
      z.object({
        answered: z.int(),
        refused: z.int().meta({ description: 'Answered with 4xx, except 429.' }),
        limited: z.int().meta({ description: 'Answered with 429.' }),
        failed: z.int().meta({ description: 'Answered with 5xx.' }),
      }),
    )
    .meta({ description: 'One for each start; none if there was no request in any of them.' }),
});
export type Volume = z.output<typeof Volume>;

export const LoggedRequest = z.object({
  id: z.string(),
  request_id: z.string(),
  key: z.object({ id: z.string(), name: z.string(), prefix: z.string() }),
  method: z.string(),
  route: z.string().nullable().meta({ description: 'As declared; null if no route matched.' }),
  status: z.int().meta({ description: '499: the caller left before the answer was written.' }),
  code: z.string().nullable().meta({ description: 'The code of the problem that was answered.' }),
  duration_ms: z.int(),
  created_at: Time.meta({ description: 'When it was answered.' }),
  count: z.int().meta({
    description:
      'How many requests the entry stands for. More than one only for requests that were refused at the gate: of each key, answer and minute the first ten have entries of their own, and one entry counts the others. It has the id, time, method and duration of the first of them, and the route if it is the same for all.',
  }),
});
export type LoggedRequest = z.output<typeof LoggedRequest>;

export const RequestPath = z.strictObject({
  entry_id: z.string().meta({ description: 'The id of an entry of the log.' }),
});

/**
 * The members of a problem in the log, shortened. While the team hides member details, it has only members and texts
 * that can't name a person.
 */
export const LoggedProblem = ProblemMembers.extend({
  required_scope: z.string().optional(),
  errors_total: z.int().optional().meta({ description: 'Of all flaws, if not all are kept.' }),
});
export type LoggedProblem = z.output<typeof LoggedProblem>;

export const DetailedRequest = LoggedRequest.extend({
  path: z.string().nullable().meta({
    description:
      'As called, without its query. Null if it is not kept, or names a person while individual data is hidden.',
  }),
  query: z.string().nullable().meta({ description: 'As called, without what looks like a secret; null like `path`.' }),
  address: z.string().nullable().meta({ description: 'The caller’s address.' }),
  user_agent: z.string().nullable(),
  problem: LoggedProblem.nullable(),
  is_hidden: z.boolean().meta({ description: 'Whether parts are left out, because individual data is hidden.' }),
});
export type DetailedRequest = z.output<typeof DetailedRequest>;

export const KeyUsesQuery = z.strictObject({ key_id: z.string() });

const sums = {
  requests: z.int(),
  limited: z.int().meta({ description: 'Of these, answered with 429.' }),
  refused: z.int().meta({ description: 'Of these, answered with another 4xx.' }),
  failed: z.int().meta({ description: 'Of these, answered with 5xx.' }),
  last_used_at: Time,
};

export const KeyUses = z.object({
  days: z.int().meta({ description: 'The days (UTC) that the sums are of; today is the last one.' }),
  routes: z
    .array(
      z.object({
        method: z.string(),
        route: z.string().nullable().meta({ description: 'As declared; null: no route, or several.' }),
        ...sums,
      }),
    )
    .meta({ description: 'The most frequent first.' }),
  other_requests: z.int().meta({
    description: 'Requests of these days that are in none of the sums, because their routes are rare.',
  }),
  callers: z
    .array(z.object({ address: z.string(), user_agent: z.string().nullable(), requests: z.int(), last_used_at: Time }))
    .meta({ description: 'The callers of the newest entries of the log, the latest first.' }),
});
export type KeyUses = z.output<typeof KeyUses>;

/**
 * A page may be shorter than `limit`, or empty, without being the last one. Only `next_cursor: null` means the last
 * page.
 */
export const RequestPage = pageOf(LoggedRequest);
