import { z } from 'zod';
import { daysToMs, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { quotable } from '../../core/name-text.ts';
import { demandsAt, signInDemands } from '../../core/sign-in-demand.ts';
import { companyLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import { forTeam } from '../../db/row-security.ts';
import { jobs, ownPriority } from '../../platform/jobs.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import { mailUsage } from '../mail/budget.ts';
import { lastMails, queueMails } from '../mail/service.ts';
import { mailTemplate, type MailKind, type NewMail } from '../mail/template.ts';
import { reports } from '../reporting/store.ts';

interface DemandMailValues {
  teamName: string;
  /** When the demand takes effect; undefined if it holds already. */
  from: Date | undefined;
}

const secondFactorMail = mailTemplate<DemandMailValues>('second_factor_demanded', {
  de: ({ teamName, from }, { time }) => ({
    lead: `${from ? `Ab dem ${time(from, { withZone: true })}` : 'Ab sofort'} verlangt das Team „${quotable(teamName)}“ bei der Anmeldung einen zweiten Faktor oder einen Passkey. Ihr Konto hat beides noch nicht.`,
    action: 'Jetzt einrichten',
    ending: from
      ? 'Danach können Sie das Team erst öffnen, wenn Sie es eingerichtet haben. Das dauert zwei Minuten.'
      : 'Sie können das Team erst wieder öffnen, wenn Sie es eingerichtet haben. Das dauert zwei Minuten.',
  }),
  en: ({ teamName, from }, { time }) => ({
    lead: `${from ? `From ${time(from, { withZone: true })} on` : 'From now on'}, the team “${quotable(teamName)}” requires a second factor or a passkey to sign in. Your account has neither yet.`,
    action: 'Set it up now',
    ending: from
      ? 'After that, you can open the team only once you have set it up. It takes two minutes.'
      : 'You can open the team again once you have set it up. It takes two minutes.',
  }),
});

const keepsWay = {
  de: ({ teamName }: Pick<DemandMailValues, 'teamName'>) => ({
    lead: `Das Team „${quotable(teamName)}“ hat die angekündigte Änderung der Anmeldung aufgehoben. Sie melden sich weiterhin an wie bisher.`,
    action: 'Team öffnen',
    ending: 'Sie müssen nichts tun.',
  }),
  en: ({ teamName }: Pick<DemandMailValues, 'teamName'>) => ({
    lead: `The team “${quotable(teamName)}” has called off the announced change of how its members sign in. You sign in as before.`,
    action: 'Open the team',
    ending: 'You need not do anything.',
  }),
};

const companyMail = mailTemplate<DemandMailValues>('company_account_demanded', {
  de: ({ teamName, from }, { time }) => ({
    lead: `${from ? `Ab dem ${time(from, { withZone: true })}` : 'Ab sofort'} öffnet sich das Team „${quotable(teamName)}“ nur noch mit Ihrem Firmenkonto. Sie haben sich damit noch nicht angemeldet.`,
    action: 'Mit dem Firmenkonto anmelden',
    ending: 'Wenn die Anmeldung nicht gelingt, wenden Sie sich an die Admins Ihres Teams.',
  }),
  en: ({ teamName, from }, { time }) => ({
    lead: `${from ? `From ${time(from, { withZone: true })} on` : 'From now on'}, the team “${quotable(teamName)}” opens only with your company account. You have not signed in with it yet.`,
    action: 'Sign in with your company account',
    ending: 'If signing in does not work, contact the admins of your team.',
  }),
});

// A member gets at most one mail in 24 hours about each demand, and at most one that says that the demand is called
// off, however often the team plans it, calls it off and plans it again. So a member who was mailed today hears of a
// changed date after these 24 hours, if the date still holds then. Such later mails, and those beyond the team's daily
// limit, are sent by one job of the team. The job ends when the team demands something else.

export const mailUnreadyTask = 'mail_unready_members';

const keyOfJob = (tenantId: string): string => `${mailUnreadyTask} ${tenantId}`;

const Time = z.iso.datetime();

/** A demand that was set or called off at a time (`since`); `from` is null if it holds at once. */
const RestOfMails = z.object({
  tenantId: z.uuid(),
  demand: z.enum(signInDemands).exclude(['none']),
  from: Time.nullable(),
  since: Time,
  about: z.enum(['demanded', 'called_off']),
});
type RestOfMails = z.output<typeof RestOfMails>;

interface DemandChange extends Pick<RestOfMails, 'demand'> {
  /** When the demand was set or called off. Members who were mailed after this time already know of it. */
  since: Date;
}

const templates = {
  second_factor: {
    demanded: { kind: 'second_factor_demanded', write: secondFactorMail },
    calledOff: {
      kind: 'second_factor_called_off',
      write: mailTemplate<Pick<DemandMailValues, 'teamName'>>('second_factor_called_off', keepsWay),
    },
  },
  company: {
    demanded: { kind: 'company_account_demanded', write: companyMail },
    calledOff: {
      kind: 'company_account_called_off',
      write: mailTemplate<Pick<DemandMailValues, 'teamName'>>('company_account_called_off', keepsWay),
    },
  },
} as const;

interface MailReader {
  email: string;
  language: Language;
}

interface MailRound {
  kind: MailKind;
  readers: readonly MailReader[];
  write: (reader: MailReader) => NewMail;
  /** The payload of the job that sends the remaining mails. */
  rest: RestOfMails;
}

/**
 * Mails the readers who were not yet mailed about this change. If a reader got a mail of this kind in the last 24
 * hours, the team's job sends the new mail later.
 */
const mailOnceADay = async (tx: Tx, team: LockedTeam, { kind, readers, write, rest }: MailRound): Promise<void> => {
  const now = team.platform.clock.now();
  const [since, dayAgo] = [new Date(rest.since), later(now, -daysToMs(1))];
  const mailedAt = await lastMails(tx, team, { kind, since: since < dayAgo ? since : dayAgo });
  const due: MailReader[] = [];
  let next: Date | undefined;
  const continueAt = (time: Date): void => {
    if (next === undefined || time < next) next = time;
  };
  for (const reader of readers) {
    const at = mailedAt.get(reader.email);
    if (at === undefined || (at < since && at <= dayAgo)) due.push(reader);
    else if (at < since) continueAt(later(at, daysToMs(1)));
  }

  const { used, max, resetsAt } = await mailUsage({ ...team, tx }, 'notice');
  const today = due.slice(0, Math.max(0, max - used));
  const refusals = await queueMails(tx, team, today.map(write));
  if (today.length < due.length || refusals.some((refusal) => refusal !== undefined)) continueAt(resetsAt);

  if (next === undefined) return jobs.remove(tx, keyOfJob(team.id));
  const inMs = next.getTime() - now.getTime();
  return jobs.add(tx, { task: mailUnreadyTask, payload: rest, key: keyOfJob(team.id), priority: ownPriority, inMs });
};

/**
 * Mails the members who can't sign in yet in the way that the team demands. Like `queueMails`, this must be the last
 * step of the transaction.
 */
export const mailUnready = async (
  tx: Tx,
  team: LockedTeam,
  { demand, from, since }: DemandChange & { from: Date | undefined },
): Promise<void> => {
  const { publicUrl } = team.platform;
  const { kind, write } = templates[demand].demanded;
  const link = demand === 'company' ? `${publicUrl}/sign-in/company` : `${publicUrl}/account?team=${team.id}`;
  await mailOnceADay(tx, team, {
    kind,
    readers: await reports.unready(tx, demand, team.id),
    write: (reader) => write(reader, link, { teamName: team.row.name, from }),
    rest: {
      tenantId: team.id,
      demand,
      from: from?.toISOString() ?? null,
      since: since.toISOString(),
      about: 'demanded',
    },
  });
};

/**
 * Mails that a plan is called off. The readers are members who can't sign in in the planned way yet, and whose last
 * mail about the plan announced it. Like `queueMails`, this must be the last step of the transaction.
 */
export const mailCalledOff = async (tx: Tx, team: LockedTeam, { demand, since }: DemandChange): Promise<void> => {
  const { demanded, calledOff } = templates[demand];
  const planned = { since: later(since, -daysToMs(companyLimits.plannedDays)) };
  const toldAt = await lastMails(tx, team, { kind: demanded.kind, ...planned });
  const revokedAt = await lastMails(tx, team, { kind: calledOff.kind, ...planned });
  const believes = ({ email }: MailReader): boolean => {
    const [told, revoked] = [toldAt.get(email), revokedAt.get(email)];
    return told !== undefined && (revoked === undefined || revoked < told);
  };
  await mailOnceADay(tx, team, {
    kind: calledOff.kind,
    readers: (await reports.unready(tx, demand, team.id)).filter(believes),
    write: (reader) =>
      calledOff.write(reader, `${team.platform.publicUrl}/?team=${team.id}`, { teamName: team.row.name }),
    rest: { tenantId: team.id, demand, from: null, since: since.toISOString(), about: 'called_off' },
  });
};

/**
 * Mails the remaining members about a demand, if it still holds from the same time on, or about a demand that was
 * called off, if it was not set again. `forTeam` selects the part of the database with the team, because each part
 * counts the mails of its own teams.
 */
export const mailOtherUnready = async (platform: Platform, payload: unknown): Promise<void> => {
  const rest = RestOfMails.parse(payload);
  await forTeam(rest.tenantId, async () => mailRest(await actIn(platform, { kind: 'service' }, rest.tenantId), rest));
};

const mailRest = (caller: Team, { demand, from, since: setAt, about }: RestOfMails): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const { signInDemand, plannedDemand, plannedFrom, status } = team.row;
    if (status === 'ended') return;
    const isDemanded = (plannedDemand ?? signInDemand) === demand;
    const since = new Date(setAt);
    if (about === 'called_off') {
      if (!isDemanded) await mailCalledOff(tx, team, { demand, since });
      return;
    }
    if (!isDemanded || (plannedFrom?.toISOString() ?? null) !== from) return;
    const { planned } = demandsAt(team.row, team.platform.clock.now());
    await mailUnready(tx, team, { demand, from: planned?.from, since });
  });
