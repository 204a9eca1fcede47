// The effective policy, once: conditions in SQL on a row `item` of catalog_item. In every query that uses them `:tenantId`
// is the team, and `:memberId` the member where the member's own policy counts too.

/** Whether a team has it at all: it is global or the team's own. */
export const inReach = '(item.tenant_id is null or item.tenant_id = :tenantId::uuid)';

/** Whether a team sees it. */
export const visible = `(item.published and ${inReach})`;

/** Whether the team's policy releases it: everything that it does not block. */
export const releasedByTeam = `not exists (
  select from team_policy_block block where block.tenant_id = :tenantId::uuid and block.item_id = item.id)`;

/** Whether a member's own policy leaves it: it narrows the team's and can't widen it. */
export const leftToMember = `not exists (
  select from member_policy_block block
   where block.tenant_id = :tenantId::uuid and block.member_id = :memberId::uuid and block.item_id = item.id)`;

/** Whether a row `rule` of catalog_rule counts for the team. */
export const ruleCounts = '(rule.tenant_id is null or rule.tenant_id = :tenantId::uuid)';

/** Whether the team's admins decide about it: what the team sees, and its own also while unpublished. */
export const manageable = `(item.tenant_id = :tenantId::uuid or (item.tenant_id is null and item.published))`;
