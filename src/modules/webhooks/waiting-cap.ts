import { hours, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { webhookLimits } from '../../core/limits.ts';
import { quotable } from '../../core/name-text.ts';
import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { bigint, int, query, time, uuid } from '../../db/query.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { letter, queueMails } from '../mail/service.ts';
import type { MailContent } from '../mail/service.ts';
import { adminsOf } from '../people/service.ts';
import { actIn, teamName } from '../teams/service.ts';
import { windows } from '../windows/store.ts';

/**
 * A team may have only so many deliveries waiting: a backlog that nothing works off must not grow without end. The oldest of those
 * beyond the limit are given up. Their events are kept, so once the receivers answer again the team can recover them. What is given up
 * counts like attempts: a team beyond its number of the day (see `HistoryBudget`) keeps no history of it.
 */
const crowdedTeams = query({
  name: 'webhooks.crowdedTeams',
  why: 'has the number in the condition of the groups, for all teams at once',
  sql: `select tenant_id as "tenantId", count(*)::int as waiting from webhook_waiting group by tenant_id having count(*) > :most`,
  parameters: { most: bigint },
  row: { tenantId: uuid, waiting: int.checked },
});

/** Deliveries that are being sent, and those that a person requested, are left out. */
const giveUpOldest = query({
  name: 'webhooks.giveUpOldest',
  why: 'takes a bounded number of rows, skips locked ones, and writes four tables in one statement',
  sql: `with chosen as materialized (
          select tenant_id, endpoint_id, delivery_id
            from webhook_waiting
           where tenant_id = :tenantId and not by_hand and (claim_id is null or due_at <= :now)
           order by delivery_id
           limit :count
             for update skip locked),
        gone as (
          delete from webhook_waiting w using chosen where w.tenant_id = chosen.tenant_id and w.delivery_id = chosen.delivery_id),
        beyond as (
          select from webhook_team_day
           where tenant_id = :tenantId and day = (:now at time zone 'UTC')::date and attempts >= :historyAttempts),
        dropped as (
          delete from webhook_delivery d using chosen
           where exists (select from beyond)
             and d.tenant_id = chosen.tenant_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.delivery_id
          returning d.id),
        dropped_attempts as (
          delete from webhook_attempt
           where exists (select from beyond)
             and tenant_id = :tenantId and delivery_id = any (array(select delivery_id from chosen))),
        given_up as (
          update webhook_delivery d
             set status = 'gave_up', next_try_at = null, resume_status = null, resume_at = null, error = 'too many waiting'
            from chosen
           where not exists (select from beyond)
             and d.tenant_id = chosen.tenant_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.delivery_id
          returning d.id),
        counted as (
          insert into webhook_team_day as team (tenant_id, day, attempts)
          select :tenantId, (:now at time zone 'UTC')::date, count(*) from given_up having count(*) > 0
              on conflict (tenant_id, day) do update set attempts = team.attempts + excluded.attempts)
        select id from dropped union all select id from given_up`,
  parameters: { tenantId: uuid, now: time, count: bigint, historyAttempts: bigint },
  row: { id: uuid.checked },
});

/** At once, so that one transaction holds no more rows. */
const batch = 2_000;

/** A backlog that goes on growing is reported by mail once in this time. */
const mailAgainAfterMs = hours(6);

const texts: Readonly<
  Record<Language, (words: { teamName: string; most: string }) => Record<'lead' | 'action' | 'ending', string>>
> = {
  de: ({ teamName, most }) => ({
    lead: `Im Team „${teamName}“ warten mehr als ${most} Webhook-Zustellungen. Die ältesten davon wurden aufgegeben.`,
    action: 'Webhook-Endpunkte ansehen',
    ending:
      'Prüfen Sie, ob Ihre Empfänger erreichbar sind und schnell genug antworten. Danach können Sie verpasste Ereignisse nachholen.',
  }),
  en: ({ teamName, most }) => ({
    lead: `In the team “${teamName}” more than ${most} webhook deliveries are waiting. The oldest of them were given up.`,
    action: 'Look at the webhook endpoints',
    ending:
      'Check that your receivers can be reached and answer quickly enough. After that you can recover the events that they missed.',
  }),
};

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const content = (language: Language, team: Team, teamName: string, most: number): MailContent =>
  letter(language, {
    ...texts[language]({ teamName: quotable(teamName), most: most.toLocaleString(locale[language]) }),
    link: `${team.platform.publicUrl}/webhooks?team=${team.id}`,
  });

const mailAdmins = async (tx: Tx, team: Team, most: number): Promise<void> => {
  const name = await teamName(tx, team);
  const mails = (await adminsOf(tx, team)).map(({ email, language }) => ({
    recipient: email,
    language,
    kind: 'webhook_deliveries_given_up' as const,
    content: content(language, team, name, most),
  }));
  await queueMails(tx, team, mails);
};

interface Limits {
  /** Deliveries that may wait. */
  readonly most: number;
  /** Of a day, after which what is given up is deleted. */
  readonly historyAttempts: number;
}

/** Gives up a team's oldest deliveries, so many, and reports it in the audit log and by mail. */
const giveUp = async (
  platform: Platform,
  tenantId: string,
  surplus: number,
  { most, historyAttempts }: Limits,
): Promise<void> => {
  const team = await actIn(platform, { kind: 'service' }, tenantId);
  for (let left = surplus; left > 0; left -= batch) {
    const given = await platform.database.transaction(
      async (tx) => {
        const now = platform.clock.now();
        const gone = await runIn(tx, giveUpOldest, { tenantId, now, count: Math.min(batch, left), historyAttempts });
        if (gone.length === 0) return 0;
        await record(tx, team, {
          action: 'webhook_deliveries.given_up',
          target: { type: 'team', id: tenantId },
          data: { given_up: gone.length, most_waiting: most },
        });
        const startedBefore = later(now, -mailAgainAfterMs);
        const mailing = await windows.begin(tx, { subject: `day given up ${tenantId}`, now, startedBefore });
        if (mailing) await mailAdmins(tx, team, most);
        return gone.length;
      },
      { group: tenantId },
    );
    if (given === 0) return;
  }
};

/** Holds every team to the number of deliveries that may wait for it. */
export const boundWaiting = async (
  platform: Platform,
  most: number = webhookLimits.waitingPerTeam,
  historyAttempts: number = webhookLimits.historyAttemptsPerDay,
): Promise<void> => {
  for (const { tenantId, waiting } of await platform.database.run(crowdedTeams, { most })) {
    await giveUp(platform, tenantId, waiting - most, { most, historyAttempts });
  }
};
