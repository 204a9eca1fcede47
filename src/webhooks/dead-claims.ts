import { randomInt, randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { later, seconds } from '../core/clock.ts';
import type { Database } from '../db/database.ts';
import { query, time, uuid } from '../db/query.ts';
import type { Platform } from '../platform/platform.ts';
import { leaseMs } from './claim.ts';

// A worker that is killed leaves its claims behind. They end with their leases, after half a minute, and until then they take places of
// their endpoints: of an endpoint that fails, all that it has. So whoever finds an endpoint full looks whether the holders of its claims
// are alive: a worker holds an advisory lock for as long as it lives, and its number is the beginning of its claims' ids.

/** Any number will do, as long as advisory locks of other things have another. */
const holderLocks = 7_402_118;

/** How long a worker may be without its lock, while it starts or after it lost its connection. */
const unseenForSeconds = 5;
/** PostgreSQL forgets all locks when it is started again, and workers that live take theirs a moment later. */
const trustedAfter = '10 seconds';

/** The number of a worker process among all. */
export const newHolder = (): number => randomInt(2 ** 31);

/** The id of a claim of this holder. */
export const newClaimId = (holder: number): string => `${holder.toString(16).padStart(8, '0')}${randomUUID().slice(8)}`;

/** Marks a holder as alive for as long as the connection is open. */
export const holdClaims = async (client: ClientBase, holder: number): Promise<void> => {
  await client.query(`select pg_try_advisory_lock(${holderLocks}, $1)`, [holder]);
};

const endLeases = query({
  name: 'webhooks.endLeasesOfTheDead',
  why: 'compares claims with the locks of their holders',
  sql: `with alive as materialized (
     select objid::bigint as holder from pg_locks
      where locktype = 'advisory' and classid = ${holderLocks} and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())),
   abandoned as materialized (
     select w.tenant_id, w.delivery_id
       from webhook_waiting w
      where w.tenant_id = :tenantId and w.endpoint_id = :endpointId and w.claim_id is not null and w.due_at > :now
        and w.due_at <= :leaseUntil and pg_postmaster_start_time() < now() - interval '${trustedAfter}'
        and ('x' || left(w.claim_id::text, 8))::bit(32)::bigint not in (select holder from alive)
        for update skip locked)
   update webhook_waiting w set due_at = :now
     from abandoned
    where w.tenant_id = abandoned.tenant_id and w.delivery_id = abandoned.delivery_id
   returning w.delivery_id as "deliveryId"`,
  parameters: { tenantId: uuid, endpointId: uuid, now: time, leaseUntil: time },
  row: { deliveryId: uuid },
});

interface Place {
  readonly tenantId: string;
  readonly endpointId: string;
}

/** Ends the leases of claims of this endpoint whose holders are dead. Returns whether there were any. */
export const endLeasesOfTheDead = async (
  { database, clock }: Pick<Platform, 'clock'> & { database: Database },
  { tenantId, endpointId }: Place,
): Promise<boolean> => {
  const now = clock.now();
  const leaseUntil = later(now, leaseMs - seconds(unseenForSeconds));
  const ended = await database.run(endLeases, { tenantId, endpointId, now, leaseUntil });
  return ended.length > 0;
};
