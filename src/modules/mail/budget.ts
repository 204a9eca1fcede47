import { daysToMs, later, secondsUntil, utcDay } from '../../core/clock.ts';
import { sha256 } from '../../core/crypto.ts';
import { mailLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { mailKinds, type MailBudget, type NewMail } from './template.ts';
import { windows } from '../windows/store.ts';
import { planOf } from './store.ts';

type TeamPlan = keyof typeof mailLimits.perTeam;

/** Why a mail is not queued, and after how many seconds it can be. */
export interface MailRefusal {
  /** The limit that was reached: of the team's mails, or of the mails to this recipient. */
  limit: 'team' | 'recipient';
  retryAfter: number;
}

interface MailLimit {
  subject: string;
  limit: MailRefusal['limit'];
  max: number;
}

/** The mailbox of an address: most servers deliver `mia+anything@` to `mia@`, so these share one count. */
const mailboxOf = (address: string): string => address.replace(/^(.[^+@]*)\+[^@]*@/u, '$1@');

const hashOf = (address: string): string => sha256(mailboxOf(address)).toString('base64url').slice(0, 22);

const teamSubject = (budget: MailBudget, teamId: string): string =>
  `${budget === 'notice' ? 'notices' : 'mails'} of ${teamId}`;

/**
 * The limits that a mail counts against. The team's limit comes first, so that calls of one team wait for each other at
 * it and can't deadlock.
 */
const limitsOf = ({ recipient, kind }: NewMail, teamId: string | null, plan: TeamPlan): MailLimit[] => {
  const { budget } = mailKinds[kind];
  const to = `${budget} to ${hashOf(recipient)}`;
  const max = mailLimits.perRecipient[budget];
  if (teamId === null) return [{ subject: to, limit: 'recipient', max }];
  return [
    {
      subject: teamSubject(budget, teamId),
      limit: 'team',
      max: budget === 'notice' ? mailLimits.noticesPerTeam : mailLimits.perTeam[plan],
    },
    { subject: `${to} of ${teamId}`, limit: 'recipient', max },
  ];
};

const endOfDay = (now: Date): Date => later(new Date(`${utcDay(now)}T00:00:00.000Z`), daysToMs(1));

/**
 * Counts mails in the transaction that queues them, and returns a refusal for each mail that is beyond a limit; the
 * n-th result belongs to the n-th mail. The counts stay locked until the transaction ends, so call this once, after all
 * other locks.
 */
export const countMails = async (
  tx: Tx,
  { clock }: Platform,
  teamId: string | null,
  newMails: readonly NewMail[],
): Promise<(MailRefusal | undefined)[]> => {
  if (newMails.length === 0) return [];
  const now = clock.now();
  const plan = (teamId === null ? undefined : await planOf(tx, teamId)) ?? 'team';
  const end = endOfDay(now);
  const retryAfter = secondsUntil(end, now);
  const seconds = (end.getTime() - now.getTime()) / 1000;
  const refusals: (MailRefusal | undefined)[] = [];
  for (const mail of newMails) {
    const counted = limitsOf(mail, teamId, plan);
    let spent: MailLimit | undefined;
    for (const limit of counted) {
      const { used } = await windows.count(tx, { subject: limit.subject, seconds, now });
      if (used > limit.max) spent ??= limit;
    }
    // A refused mail does not count.
    if (spent) for (const { subject } of counted) await windows.takeBack(tx, subject);
    refusals.push(spent && { limit: spent.limit, retryAfter });
  }
  return refusals;
};

/**
 * How many mails a team has sent today, and how many it may send in a day: invitations and mails about assignments
 * together, or with the budget `notice` the notices.
 */
export const mailUsage = async (
  { id, platform, tx = platform.database.prisma }: { id: string; platform: Platform; tx?: Tx },
  budget: 'invitation' | 'notice' = 'invitation',
): Promise<{ used: number; max: number; resetsAt: Date }> => {
  const now = platform.clock.now();
  const used = (await windows.current({ prisma: tx }, teamSubject(budget, id), now))?.used ?? 0;
  const plan = (await planOf(tx, id)) ?? 'team';
  const max = budget === 'notice' ? mailLimits.noticesPerTeam : mailLimits.perTeam[plan];
  return { used, max, resetsAt: endOfDay(now) };
};
