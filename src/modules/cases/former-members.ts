import { days, later } from '../../core/clock.ts';
import { privateCaseLimits } from '../../core/limits.ts';
import { rowsIn } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import { recordStored } from '../audit/service.ts';
import { actIn, holdTeam } from '../teams/service.ts';

// Private cases of somebody who is no longer a member can be seen and deleted by nobody, but count for the team's storage. They
// wait some weeks, in case the person joins again, and are deleted then.

/** SQL: whether all memberships of the user `u` ended before `before`. */
const leftBefore = (before: string): string =>
  `u.private_bytes > 0 and not exists (
     select from member m
      where m.tenant_id = u.tenant_id and m.user_id = u.id and (m.status <> 'ended' or m.ended_at is null or m.ended_at >= ${before}))`;

interface FormerMember {
  tenant_id: string;
  user_id: string;
}

const next = statement<FormerMember, [before: Date, afterTenant: string, afterUser: string]>(
  `select u.tenant_id, u.id as user_id from team_user u
    where (u.tenant_id, u.id) > ($2::uuid, $3::uuid) and ${leftBefore('$1::timestamptz')}
    order by u.tenant_id, u.id limit 1`,
);

const batchSize = 200;

// The membership is looked at again: the transaction holds the team now, and no membership begins meanwhile.
const deleteSome = statement<{ count: number; bytes: string }, [tenantId: string, userId: string, before: Date]>(
  `with batch as materialized (
     select c.tenant_id, c.id from "case" c
       join team_user u on u.tenant_id = c.tenant_id and u.id = c.user_id
      where c.tenant_id = $1 and c.user_id = $2 and c.private and ${leftBefore('$3::timestamptz')}
      limit ${batchSize} for update of c),
   gone as (
     delete from "case" c using batch where c.tenant_id = batch.tenant_id and c.id = batch.id returning stored_bytes(c) as bytes)
   select count(*)::int as count, coalesce(sum(bytes), 0)::text as bytes from gone`,
);

const deleteBatch = async (
  platform: Platform,
  { tenant_id, user_id }: FormerMember,
  before: Date,
): Promise<boolean> => {
  const service = await actIn(platform, { kind: 'service' }, tenant_id);
  return platform.database.transaction(
    async (tx) => {
      const team = await holdTeam(tx, { ...service, tx });
      const [{ count, bytes } = { count: 0, bytes: '0' }] = await rowsIn(tx, deleteSome, tenant_id, user_id, before);
      if (count === 0) return false;
      const deed = {
        action: 'case.private_cases_deleted',
        target: { type: 'team', id: tenant_id },
        data: { user_id, count },
      } as const;
      await recordStored(tx, team, deed, -Number(bytes));
      return count === batchSize;
    },
    { group: tenant_id },
  );
};

const first = '00000000-0000-0000-0000-000000000000';

/** Deletes the private cases of members who left long ago, as long as there is time (of the process's own clock); the next run goes on. */
export const deletePrivateCasesOfFormerMembers = async (
  platform: Platform,
  { until = Infinity }: { until?: number } = {},
): Promise<void> => {
  const before = later(platform.clock.now(), -days(privateCaseLimits.daysAfterMembership));
  let last: FormerMember = { tenant_id: first, user_id: first };
  while (performance.now() < until) {
    const [former] = await platform.database.rows(next, before, last.tenant_id, last.user_id);
    if (!former) return;
    while (performance.now() < until && (await deleteBatch(platform, former, before)));
    last = former;
  }
};
