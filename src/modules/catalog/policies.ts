import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { manageable } from './policy.ts';
import { managedItems } from './reading.ts';
import type { Policy, PolicyChange } from './schema.ts';

// What is blocked, told and changed. A change names what to block and what to release and leaves the rest, so that two admins
// who decide about different items at once don't undo each other.

/** The team's policy (null), or a member's own. */
type Whose = string | null;

const blockedItems = (table: string, more: string): string =>
  `select block.item_id as id from ${table} block join catalog_item item on item.id = block.item_id
    where block.tenant_id = $1::uuid ${more} and ${manageable}
    order by item.dimension, item.position, item.id`;
const ofTeam = blockedItems('team_policy_block', '');
const ofMember = blockedItems('member_policy_block', 'and block.member_id = $2::uuid');

const blockedBy = async (tx: Tx, team: Team, memberId: Whose): Promise<string[]> => {
  const rows =
    memberId === null
      ? await tx.$queryRawUnsafe<{ id: string }[]>(ofTeam, team.id)
      : await tx.$queryRawUnsafe<{ id: string }[]>(ofMember, team.id, memberId);
  return rows.map(({ id }) => id);
};

export const needPresentMember = async (tx: Tx, team: Team, id: string): Promise<void> => {
  const member = isId(id)
    ? await tx.member.findUnique({ where: { tenantId_id: { tenantId: team.id, id } } })
    : undefined;
  if (!member || member.status === 'ended') fail('not_found');
};

/** What the team's policy blocks. */
export const teamPolicy = (team: Team): Promise<Policy> =>
  inTransaction(team, async (tx) => ({ blocked: await blockedBy(tx, team, null) }));

/** What a member's own policy blocks, on top of the team's. */
export const memberPolicy = (team: Team, memberId: string): Promise<Policy> =>
  inTransaction(team, async (tx) => {
    await needPresentMember(tx, team, memberId);
    return { blocked: await blockedBy(tx, team, memberId) };
  });

/** Deletes the policy of a member who is removed: somebody who joins again is a new member, and nothing would ever delete it. */
export const forgetMemberPolicy = async (tx: Tx, team: Team, memberId: string): Promise<void> => {
  await tx.memberPolicyBlock.deleteMany({ where: { tenantId: team.id, memberId } });
};

// Arrays instead of Prisma's lists: one text, whatever the number of items.
const blockForTeam = statement<object, [tenantId: string, items: string[], now: Date]>(
  `insert into team_policy_block (tenant_id, item_id, created_at) select $1, item_id, $3 from unnest($2::uuid[]) as item_id`,
);
const releaseForTeam = statement<object, [tenantId: string, items: string[]]>(
  'delete from team_policy_block where tenant_id = $1 and item_id = any ($2::uuid[])',
);
const blockForMember = statement<object, [tenantId: string, items: string[], now: Date, memberId: string]>(
  `insert into member_policy_block (tenant_id, member_id, item_id, created_at)
   select $1, $4, item_id, $3 from unnest($2::uuid[]) as item_id`,
);
const releaseForMember = statement<object, [tenantId: string, items: string[], memberId: string]>(
  'delete from member_policy_block where tenant_id = $1 and member_id = $3 and item_id = any ($2::uuid[])',
);
// A type and not an interface, so that it can be noted as lists by name.
type Applied = { blocked: string[]; released: string[] };

/** Blocks and releases, and tells what that changed; what is so already stays. Only right while the team is locked. */
const applyChange = async (tx: Tx, team: Team, whose: Whose, { block, release }: PolicyChange): Promise<Applied> => {
  if (block.some((id) => release.includes(id))) fail('validation_error', { field: 'release' });
  await managedItems(tx, team, [...block, ...release]);
  const before = new Set(await blockedBy(tx, team, whose));
  const blocked = [...new Set(block)].filter((id) => !before.has(id));
  const released = [...new Set(release)].filter((id) => before.has(id));

  const now = team.platform.clock.now();
  if (whose === null) {
    await rowsIn(tx, blockForTeam, team.id, blocked, now);
    await rowsIn(tx, releaseForTeam, team.id, released);
  } else {
    await rowsIn(tx, blockForMember, team.id, blocked, now, whose);
    await rowsIn(tx, releaseForMember, team.id, released, whose);
  }
  return { blocked, released };
};

const isChange = ({ blocked, released }: Applied): boolean => blocked.length + released.length > 0;

export const setTeamPolicy = (caller: Team, change: PolicyChange): Promise<Policy> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const data = await applyChange(tx, team, null, change);
    if (isChange(data)) {
      await record(tx, team, {
        action: 'policy.team_changed',
        target: { type: 'team', id: team.id },
        data,
      });
    }
    return { blocked: await blockedBy(tx, team, null) };
  });

export const setMemberPolicy = (caller: Team, memberId: string, change: PolicyChange): Promise<Policy> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    await needPresentMember(tx, team, memberId);
    const data = await applyChange(tx, team, memberId, change);
    if (isChange(data)) {
      await record(tx, team, {
        action: 'policy.member_changed',
        target: { type: 'member', id: memberId },
        data,
      });
    }
    return { blocked: await blockedBy(tx, team, memberId) };
  });
