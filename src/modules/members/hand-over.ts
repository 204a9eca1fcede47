import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { queueMails } from '../mail/service.ts';
import { personBehind } from '../people/service.ts';
import { lockTeam } from '../teams/service.ts';
import type { LockedTeam } from '../teams/service.ts';
import { handOverMail } from './hand-over-mail.ts';
import { findMember, isActive } from './membership.ts';
import type { Membership } from './membership.ts';
import { members } from './store.ts';

interface Party {
  id: string;
  userId: string;
  email: string;
}

/** Only who has accepted the invitation has a sign-in, and so can have the team. */
const needActive = (member: Membership): Party =>
  isActive(member) ? member : fail('conflict', { detail: 'Only an active member can become the owner.' });

/** Whoever owns the team now, if it is who acts: of two hand-overs at once only one is the owner's. Only right while it is locked. */
const needOwner = async (tx: Tx, team: LockedTeam): Promise<Party> => {
  const { actor } = team;
  const { id, userId, email } = await members.owner(tx, team);
  if (userId !== null && actor.kind === 'person' && actor.userId === userId) return { id, userId, email };
  return fail('insufficient_scope', {
    required_scope: 'users:write',
    detail: 'Only the owner can hand the team over.',
  });
};

const tell = async (tx: Tx, team: LockedTeam, { from, to }: { from: Party; to: Party }): Promise<void> => {
  const [former, owner] = [await personBehind(tx, team, from.userId), await personBehind(tx, team, to.userId)];
  const handedOver = {
    teamName: team.row.name,
    former: { name: former.name, email: from.email },
    owner: { name: owner.name, email: to.email },
    link: `${team.platform.publicUrl}/members?team=${team.id}`,
  };
  await queueMails(tx, team, [
    {
      recipient: to.email,
      language: owner.language,
      kind: 'team_received',
      content: handOverMail(owner.language, 'received', handedOver),
    },
    {
      recipient: from.email,
      language: former.language,
      kind: 'team_handed_over',
      content: handOverMail(former.language, 'given', handedOver),
    },
  ]);
};

/** Makes an active member the owner; who was it stays as an admin, so the team has an owner and an admin whoever else it has. */
export const handOver = (caller: Team, id: string): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const from = await needOwner(tx, team);
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner', { detail: 'This is the owner already.' });
    const to = needActive(member);
    // In this order: a team has one owner at most, at every moment.
    await members.update(tx, team, from.id, { role: 'admin' });
    await members.update(tx, team, to.id, { role: 'owner', rights: [] });
    await record(tx, team, {
      action: 'team.handed_over',
      target: { type: 'member', id },
      data: { from: from.id, to: to.id },
    });
    await tell(tx, team, { from, to });
  });
