import { fail, Problem } from '../../core/problem.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { Email } from '../../platform/values.ts';
import { record } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { invitationRefusals } from './app-schema.ts';
import type { InvitationResult, NewInvitation } from './app-schema.ts';
import { countInvitation, sendInvitation } from './invitation.ts';
import { inviteMember } from './joining.ts';
import { findMember } from './membership.ts';
import { needRightToGrantAdmin } from './rights.ts';
import { invitations } from './store.ts';

const invitePerson = async (team: Team, { email, role, lang }: NewInvitation): Promise<InvitationResult> => {
  const read = Email.safeParse(email);
  if (!read.success) return { email, outcome: 'invalid', member_id: null };
  try {
    const { id } = await inviteMember(team, { email: read.data, role, lang });
    return { email, outcome: 'invited', member_id: id };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const outcome = invitationRefusals.find((code) => code === error.code);
    if (!outcome) throw error;
    const { retry_after } = error.members;
    return { email, outcome, member_id: null, ...(retry_after !== undefined && { retry_after }) };
  }
};

/** Invites people one after the other, each on its own: who can't be invited keeps nobody else from it. */
export const invitePeople = async (team: Team, people: readonly NewInvitation[]): Promise<InvitationResult[]> => {
  const results: InvitationResult[] = [];
  for (const person of people) results.push(await invitePerson(team, person));
  return results;
};

/** Sends an invitation once more, valid anew: it counts like a first one, and the link that was sent before is dead. */
export const resendInvitation = (caller: Team, id: string): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const member = await findMember(tx, team, id);
    if (member.status !== 'invited') fail('conflict', { detail: 'The invitation was accepted already.' });
    if (member.role === 'admin') await needRightToGrantAdmin(tx, team);
    await countInvitation(tx, team);
    const language = (await invitations.languageOf(tx, team, id)) ?? team.row.language;
    await record(tx, team, { action: 'member.invited_again', target: { type: 'member', id } });
    await sendInvitation(tx, team, { member, teamName: team.row.name, language });
  });
