import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { findMember } from '../members/membership.ts';
import { lockTeam } from '../teams/service.ts';
import { managedItems } from './reading.ts';
import type { Policy, PolicyChange } from './schema.ts';
import { policyBlocks } from './store.ts';

// What is blocked, told and changed. A change names what to block and what to release and leaves the rest, so that two admins
// who decide about different items at once don't undo each other.

/** The team's policy (null), or a member's own. */
type Whose = string | null;

const blockedBy = (tx: Tx, team: Team, memberId: Whose): Promise<string[]> => policyBlocks.of(tx, team.id, memberId);

export const needPresentMember = async (tx: Tx, team: Team, id: string): Promise<void> => {
  await findMember(tx, team, id);
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
  await policyBlocks.removeOfMember(tx, team.id, memberId);
};

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
  await policyBlocks.insert(tx, team.id, whose, { items: blocked, now });
  await policyBlocks.remove(tx, team.id, whose, released);
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
