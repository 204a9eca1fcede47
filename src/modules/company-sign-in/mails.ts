import { z } from 'zod';
import { quotable } from '../../core/name-text.ts';
import { demandsAt, signInDemands } from '../../core/sign-in-demand.ts';
import type { Tx } from '../../db/database.ts';
import { forTeam } from '../../db/row-security.ts';
import { jobs, ownPriority } from '../../platform/jobs.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import { mailUsage } from '../mail/budget.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { reports } from '../reporting/store.ts';

interface Values {
  teamName: string;
  /** Undefined: the demand holds already. */
  from: Date | undefined;
}

const secondFactorMail = mailTemplate<Values>('sign_in_demanded', {
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

const companyMail = mailTemplate<Values>('sign_in_demanded', {
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

// Mails beyond the limit of a day are sent on the next days, by one job of the team that goes on after the last member
// who got one.

export const mailUnreadyTask = 'mail_unready_members';

const keyOfJob = (tenantId: string): string => `${mailUnreadyTask} ${tenantId}`;

/** Below the ids of all members. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

const Rest = z.object({ tenantId: z.uuid(), demand: z.enum(signInDemands).exclude(['none']), after: z.uuid() });
type Rest = z.output<typeof Rest>;

interface Unready extends Pick<Rest, 'demand'> {
  from: Date | undefined;
  /** Only members after this one are mailed. */
  after?: string;
}

/** Mails those who can't sign in yet as the team demands it. It must be the transaction's last step. */
export const mailUnready = async (
  tx: Tx,
  team: LockedTeam,
  { demand, from, after = beforeAll }: Unready,
): Promise<void> => {
  const { publicUrl, clock } = team.platform;
  const [write, link] =
    demand === 'company'
      ? [companyMail, `${publicUrl}/sign-in/company`]
      : [secondFactorMail, `${publicUrl}/account?team=${team.id}`];
  const values = { teamName: team.row.name, from };
  const readers = await reports.unready(tx, demand, { tenantId: team.id, after });
  const { used, max, resetsAt } = await mailUsage({ ...team, tx }, 'notice');
  const today = readers.slice(0, Math.max(0, max - used));
  const refusals = await queueMails(
    tx,
    team,
    today.map((reader) => write(reader, link, values)),
  );
  const refused = refusals.findIndex((refusal) => refusal?.limit === 'team');
  const mailed = refused === -1 ? today : today.slice(0, refused);
  if (mailed.length === readers.length) return jobs.remove(tx, keyOfJob(team.id));
  const rest: Rest = { tenantId: team.id, demand, after: mailed.at(-1)?.id ?? after };
  const inMs = resetsAt.getTime() - clock.now().getTime();
  return jobs.add(tx, { task: mailUnreadyTask, payload: rest, key: keyOfJob(team.id), priority: ownPriority, inMs });
};

/** Mails the others, unless the team demands something else by now. As a request would, so that it counts where requests count. */
export const mailOtherUnready = async (platform: Platform, payload: unknown): Promise<void> => {
  const rest = Rest.parse(payload);
  await forTeam(rest.tenantId, async () => mailRest(await actIn(platform, { kind: 'service' }, rest.tenantId), rest));
};

const mailRest = (caller: Team, { demand, after }: Rest): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const { signInDemand, planned } = demandsAt(team.row, team.platform.clock.now());
    const isPlanned = planned?.demand === demand;
    if (team.row.status === 'ended' || !(isPlanned || signInDemand === demand)) return;
    await mailUnready(tx, team, { demand, from: isPlanned ? planned.from : undefined, after });
  });
