import { z } from 'zod';
import { problemCodes } from '../../core/problem.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Instant, Time } from '../../platform/values.ts';

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

/** A page may be shorter than `limit`, or empty, without being the last one. Only `next_cursor: null` means the last page. */
export const RequestPage = pageOf(LoggedRequest);
