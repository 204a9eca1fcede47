import { daysToMs, later, secondsUntil, utcDay } from '../../core/clock.ts';
import { sha256 } from '../../core/crypto.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import type { MailBudget } from './template.ts';
import { windows } from '../windows/store.ts';
import { planOf } from './store.ts';

/**
 * Mails per day (UTC). The limits of a recipient exist for one team and for all teams together. So one team can't use up what others may
 * send to the same person. The first mails of each team have a larger common limit (`first`), so that several teams can't keep another
 * team from its first mails of the day. Each kind of mail has separate limits.
 */
export const mailLimits = {
  /** Invitations and mails about assignments. */
  perTeam: { basic: 200, team: 500, enterprise: 2_000 },
  /** Notices of the service to a team's owner and admins, about ownership transfers and failing endpoints. */
  noticesPerTeam: 2_000,
  perRecipient: {
    /** Mails to people who may not know the team. */
    invitation: { ofOneTeam: 3, ofAllTeams: 10, first: { ofOneTeam: 1, ofAllTeams: 50 } },
    assignment: { ofOneTeam: 30, ofAllTeams: 100, first: { ofOneTeam: 10, ofAllTeams: 500 } },
    /** Enough for a warning and a pause of every endpoint that a team can have. */
    notice: { ofOneTeam: 120, ofAllTeams: 360, first: { ofOneTeam: 40, ofAllTeams: 1_800 } },
    /** Each link works for a day. Once the limit is reached, the recipient still has a working link. */
    reset: { ofAllTeams: 20 },
  },
} as const;

type TeamPlan = keyof typeof mailLimits.perTeam;

// How many mails are sent in a day (UTC): by a team, to a recipient from one team, and to a recipient from all teams.

/** A mail that is to be queued. */
export interface CountedMail {
  recipient: string;
  budget: MailBudget;
}

/** Why a mail is not queued, and after how many seconds it can be. */
export interface Refusal {
  /** The limit that was reached: of the team's mails, or of the mails to this recipient. */
  limit: 'team' | 'recipient';
  retryAfter: number;
}

interface Count {
  subject: string;
  limit: Refusal['limit'];
  most: number;
  /** The limit for a team's first mails to a recipient: it applies while fewer than `until` are counted under `subject`. */
  first?: { subject: string; until: number; most: number };
}

/** The mailbox of an address: most servers deliver `mia+anything@` to `mia@`, so these share one count. */
const mailboxOf = (address: string): string => address.replace(/(?<=.)\+.*(?=@)/u, '');

const hashOf = (address: string): string => sha256(mailboxOf(address)).toString('base64url').slice(0, 22);

const teamSubject = (budget: MailBudget, teamId: string): string =>
  `${budget === 'notice' ? 'notices' : 'mails'} of ${teamId}`;

/** All limits that a mail counts against. */
const countsOf = ({ recipient, budget }: CountedMail, teamId: string | null, plan: TeamPlan): Count[] => {
  const to = hashOf(recipient);
  const ofAllTeams: Count = {
    subject: `${budget} to ${to}`,
    limit: 'recipient',
    most: mailLimits.perRecipient[budget].ofAllTeams,
  };
  if (budget === 'reset' || teamId === null) return [ofAllTeams];
  const { ofOneTeam, first } = mailLimits.perRecipient[budget];
  const ofThisTeam = `${budget} to ${to} of ${teamId}`;
  return [
    {
      subject: teamSubject(budget, teamId),
      limit: 'team',
      most: budget === 'notice' ? mailLimits.noticesPerTeam : mailLimits.perTeam[plan],
    },
    {
      subject: ofThisTeam,
      limit: 'recipient',
      most: ofOneTeam,
    },
    { ...ofAllTeams, first: { subject: ofThisTeam, until: first.ofOneTeam, most: first.ofAllTeams } },
  ];
};

const addTo = (tally: Map<string, number>, { subject }: Count): unknown =>
  tally.set(subject, (tally.get(subject) ?? 0) + 1);

const startOfDay = (now: Date): Date => new Date(`${utcDay(now)}T00:00:00.000Z`);

/** The window of a subject. A new one begins each day, also if the former one began in the evening. */
const windowOf = (subject: string, now: Date) => ({
  subject: `day ${subject}`,
  now,
  startedAfter: later(startOfDay(now), -1),
});

/** Adds to the counts and returns their new values. They are locked in the order of the subjects, so that no deadlock occurs. */
const add = async (tx: Tx, now: Date, added: ReadonlyMap<string, number>): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  for (const [subject, count] of [...added].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    counts.set(subject, (await windows.add(tx, { ...windowOf(subject, now), count }))?.used ?? 0);
  }
  return counts;
};

const endOfDay = (now: Date): Date => later(startOfDay(now), daysToMs(1));

/**
 * Counts mails in the transaction that queues them, and returns a refusal for each mail that is beyond a limit; the n-th result belongs
 * to the n-th mail. The counts stay locked until the transaction ends, so call this once, after all other locks.
 */
export const countMails = async (
  tx: Tx,
  { clock }: Platform,
  teamId: string | null,
  newMails: readonly CountedMail[],
): Promise<(Refusal | undefined)[]> => {
  if (newMails.length === 0) return [];
  const now = clock.now();
  const plan = (teamId === null ? undefined : await planOf(tx, teamId)) ?? 'team';
  const added = new Map<string, number>();
  for (const mail of newMails) for (const count of countsOf(mail, teamId, plan)) addTo(added, count);
  const after = await add(tx, now, added);

  const accepted = new Map<string, number>();
  const refused = new Map<string, number>();
  const retryAfter = secondsUntil(endOfDay(now), now);
  const refusals = newMails.map((mail): Refusal | undefined => {
    const counts = countsOf(mail, teamId, plan);
    const used = (subject: string): number =>
      (after.get(subject) ?? 0) - (added.get(subject) ?? 0) + (accepted.get(subject) ?? 0);
    const spent = counts.find(({ subject, most, first }) => {
      const isFirst = first !== undefined && used(first.subject) < first.until;
      return used(subject) >= (isFirst ? first.most : most);
    });
    for (const count of counts) addTo(spent ? refused : accepted, count);
    return spent && { limit: spent.limit, retryAfter };
  });
  for (const [subject, count] of refused) await windows.takeBack(tx, windowOf(subject, now).subject, count);
  return refusals;
};

/** How many invitations and assignment mails a team has sent today, and how many it can. */
export const mailUsage = async ({
  id,
  platform,
}: {
  id: string;
  platform: Platform;
}): Promise<{ used: number; most: number; resets_at: Date }> => {
  const now = platform.clock.now();
  const used = await windows.used(platform.database, windowOf(teamSubject('invitation', id), now));
  const plan = (await planOf(platform.database.prisma, id)) ?? 'team';
  return { used, most: mailLimits.perTeam[plan], resets_at: endOfDay(now) };
};
