import { days, later } from '../../core/clock.ts';
import { privateCaseLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import { recordStored } from '../audit/service.ts';
import { actIn, holdTeam } from '../teams/service.ts';
import { cases, deletedAtOnce } from './store.ts';
import type { FormerMember } from './store.ts';

// Private cases of somebody who is no longer a member can be seen and deleted by nobody, but count for the team's storage. They
// wait some weeks, in case the person joins again, and are deleted then.

const deleteBatch = async (platform: Platform, former: FormerMember, before: Date): Promise<boolean> => {
  const { tenant_id, user_id } = former;
  const service = await actIn(platform, { kind: 'service' }, tenant_id);
  return platform.database.transaction(
    async (tx) => {
      const team = await holdTeam(tx, { ...service, tx });
      const { count, bytes } = (await cases.deletePrivateOf(tx, former, before)) ?? { count: 0, bytes: '0' };
      if (count === 0) return false;
      const action = {
        action: 'case.private_cases_deleted',
        target: { type: 'team', id: tenant_id },
        data: { user_id, count },
      } as const;
      await recordStored(tx, team, action, -Number(bytes));
      return count === deletedAtOnce;
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
    const former = await cases.nextFormerMember(platform.database, before, last);
    if (!former) return;
    while (performance.now() < until && (await deleteBatch(platform, former, before)));
    last = former;
  }
};
