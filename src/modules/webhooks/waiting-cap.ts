import { hoursToMs, later } from '../../core/clock.ts';
import { webhookLimits } from '../../core/limits.ts';
import { quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { mailTemplate, queueMails } from '../mail/service.ts';
import { adminsOf } from '../members/membership.ts';
import { actIn, teamName } from '../teams/service.ts';
import { windows } from '../windows/store.ts';
import { waiting } from './delivery-store.ts';

// A team may have a limited number of waiting deliveries, so that no backlog grows without end. The oldest of those beyond the limit are
// given up. Their events are kept, so the team can recover them once its receivers answer again. A delivery that is given up counts like
// an attempt: beyond the day's number (`historyAttemptsPerDay`), its history is deleted.

/** How many deliveries one transaction gives up, so that it does not lock more rows. */
const batch = 2_000;

/** A backlog that keeps growing is reported by mail once in this time. */
const mailAgainAfterMs = hoursToMs(6);

const givenUpMail = mailTemplate<{ teamName: string; most: number }>('webhook_deliveries_given_up', {
  de: ({ teamName: name, most }, { number }) => ({
    lead: `Im Team „${quotable(name)}“ sind mehr als ${number(most)} Webhook-Zustellungen ausstehend. Die ältesten wurden abgebrochen.`,
    action: 'Webhook-Endpunkte ansehen',
    ending:
      'Prüfen Sie, ob Ihre Empfänger erreichbar sind und schnell genug antworten. Verpasste Ereignisse können Sie danach nachholen.',
  }),
  en: ({ teamName: name, most }, { number }) => ({
    lead: `In the team “${quotable(name)}” more than ${number(most)} webhook deliveries are pending. The oldest were canceled.`,
    action: 'View webhook endpoints',
    ending: 'Check that your receivers can be reached and respond quickly enough. You can then recover missed events.',
  }),
});

const mailAdmins = async (tx: Tx, team: Team, most: number): Promise<void> => {
  const link = `${team.platform.publicUrl}/webhooks?team=${team.id}`;
  const values = { teamName: await teamName(tx, team), most };
  const admins = await adminsOf(tx, team);
  await queueMails(
    tx,
    team,
    admins.map((admin) => givenUpMail(admin, link, values)),
  );
};

interface Limits {
  /** Deliveries that may wait. */
  readonly most: number;
  /** Attempts of a day; after that many, deliveries that are given up are deleted. */
  readonly historyAttempts: number;
}

/** Gives up `surplus` of a team's deliveries, the oldest first, and reports it in the audit log and by mail. */
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
        const gone = await waiting.giveUpOldest(tx, team, { now, count: Math.min(batch, left), historyAttempts });
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

/** Limits the waiting deliveries of every team. */
export const boundWaiting = async (
  platform: Platform,
  most: number = webhookLimits.waitingPerTeam,
  historyAttempts: number = webhookLimits.historyAttemptsPerDay,
): Promise<void> => {
  for (const { tenantId, waiting: count } of await waiting.crowdedTeams(platform.database, most)) {
    await giveUp(platform, tenantId, count - most, { most, historyAttempts });
  }
};
