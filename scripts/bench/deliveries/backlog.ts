import { statement } from '../../../src/db/query.ts';
import type { Statement } from '../../../src/db/query.ts';
import type { Told } from './endpoints.ts';
import type { Stage } from './stage.ts';

/** The sender of the backlog: our worker, or a plain job for each delivery. */
export type Sender = 'worker' | 'jobs';

const made = `
  made as materialized (
    select e.tenant_id, e.id as endpoint_id, uuidv7() as event_id, uuidv7() as delivery_id
      from generate_series(1, $2::int) as turn, webhook_endpoint e
     where e.id = any($1::uuid[])
     order by turn),
  event as (
    insert into webhook_event (tenant_id, id, type, data, created_at)
    select tenant_id, event_id, 'training.completed',
           jsonb_build_object('team_id', tenant_id, 'training_id', event_id, 'status', 'ended', 'source', 'app',
                              'assignment_id', null, 'finished_at', '2026-11-20T08:29:41.310Z', 'duration_s', 611,
                              'user_id', endpoint_id), now()
      from made),
  delivery as (
    insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
    select tenant_id, delivery_id, endpoint_id, event_id, 'training.completed', now(), now() from made)`;

type Values = [endpointIds: string[], each: number];

const inserts: Record<Sender, Statement<Record<never, never>, Values>> = {
  worker: statement(
    `with ${made}
     insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
     select tenant_id, delivery_id, endpoint_id, now() from made`,
  ),
  jobs: statement(
    `with ${made},
          job as (
            select row('deliver', json_build_object('tenantId', tenant_id, 'deliveryId', delivery_id),
                       null, null, null, null, null, null)::graphile_worker.job_spec as spec
              from made)
     select count(*) from graphile_worker.add_jobs((select array_agg(spec) from job))`,
  ),
};

const analyze = statement<Record<never, never>, []>('vacuum analyze');

/** Creates `each` deliveries per endpoint, each with its own event. */
export const makeBacklog = async (
  { platform: { database } }: Stage,
  { told, each, sender }: { told: readonly Told[]; each: number; sender: Sender },
): Promise<void> => {
  await database.rows(
    inserts[sender],
    told.map(({ endpointId }) => endpointId),
    each,
  );
  await database.rows(analyze);
};
