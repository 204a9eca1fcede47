import { daysToMs, hoursToMs, later } from '../../core/clock.ts';
import { randomText, sha256 } from '../../core/crypto.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { fail, failUntil } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { noteInvitation } from '../teams/service.ts';
import type { LockedTeam } from '../teams/service.ts';
import { invitationMail } from './invitation-mail.ts';
import { invitations } from './store.ts';

/** Counts an invitation against the team's hour, which starts with its first one. Only right while the team is locked. */
export const countInvitation = async (tx: Tx, team: LockedTeam): Promise<void> => {
  const now = team.platform.clock.now();
  const { invitationWindowStartedAt: startedAt, invitationsInWindow: made } = team.row;
  const ends = startedAt === null ? now : later(startedAt, hoursToMs(1));
  const running = ends > now;
  if (running && made >= limits.invitationsPerHour) {
    failUntil(ends, now, `A team can invite ${limits.invitationsPerHour} people an hour.`);
  }
  await noteInvitation(tx, team, running ? { made: made + 1 } : { made: 1, startedAt: now });
};

/** By which an invitation is found again. */
export const hashOfToken = (token: string) => Uint8Array.from(sha256(token));

interface Invited {
  member: { id: string; email: string };
  language: Language;
}

/** Makes the invitation and the only copy of its token; the link of one before is dead. */
export const makeInvitation = async (tx: Tx, team: Team, { member, language }: Invited) => {
  const { clock } = team.platform;
  const token = randomText(43);
  const now = clock.now();
  const expiresAt = later(now, daysToMs(limits.invitationDays));
  const made = { tokenHash: hashOfToken(token), language, expiresAt, createdAt: now };
  await invitations.put(tx, team, member.id, made);
  return { token, expiresAt };
};

/** Makes the invitation and mails its link, as the transaction's last step; refused where too many mails were sent today. */
export const sendInvitation = async (
  tx: Tx,
  team: Team,
  { teamName, ...invited }: Invited & { teamName: string },
): Promise<void> => {
  const { token, expiresAt } = await makeInvitation(tx, team, invited);
  const { member, language } = invited;
  const content = invitationMail(language, {
    teamName,
    link: `${team.platform.publicUrl}/invitations/${token}`,
    expiresAt,
  });
  const [refusal] = await queueMails(tx, team, [{ recipient: member.email, language, kind: 'invitation', content }]);
  if (!refusal) return;
  fail('rate_limited', {
    retry_after: refusal.retryAfter,
    detail:
      refusal.limit === 'team'
        ? 'The team has sent as many mails as it can in a day.'
        : 'As many invitations were sent to this address as it can get in a day.',
  });
};
