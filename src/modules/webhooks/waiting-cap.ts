import { quotable } from '../../core/name-text.ts';
import { deliveryLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, teamName } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { adminsOf } from '../membership/service.ts';
import { windows } from '../windows/store.ts';
import { waiting } from './delivery-store.ts';

// A team may have a limited number of waiting deliveries, so that no backlog grows without end. Beyond the limit, the
// oldest waiting deliveries are given up. Their events are kept, so the team can recover them once its receivers answer
// again.

/** How many deliveries one transaction gives up at most, so that it does not lock too many rows. */
const batch = 1_000;

/** While a backlog keeps growing, it is reported by mail once in this time. */
const mailAgainAfterSeconds = 6 * 3_600;

const givenUpMail = mailTemplate<{ teamName: string; max: number }>('webhook_deliveries_given_up', {
  de: ({ teamName: name, max }, { number }) => ({
    lead: `Im Team „${quotable(name)}“ sind mehr als ${number(max)} Webhook-Zustellungen ausstehend. Die ältesten wurden abgebrochen.`,
    action: 'Webhook-Endpunkte ansehen',
    ending:
      'Prüfen Sie, ob Ihre Empfänger erreichbar sind und schnell genug antworten. Verpasste Ereignisse können Sie danach nachholen.',
  }),
  en: ({ teamName: name, max }, { number }) => ({
    lead: `In the team “${quotable(name)}” more than ${number(max)} webhook deliveries are pending. The oldest were canceled.`,
    action: 'View webhook endpoints',
    ending: 'Check that your receivers can be reached and respond quickly enough. You can then recover missed events.',
  }),
});

/**
 * Gives up some of a team's deliveries, the oldest first, and reports it in the audit log and, at most once in six
 * hours, by mail. Returns how many deliveries it gave up.
 */
const giveUp = async (tx: Tx, team: Team, surplus: number, max: number): Promise<number> => {
  const now = team.platform.clock.now();
  const count = await waiting.giveUp(tx, team, { now, max: Math.min(batch, surplus), error: 'too many waiting' });
  if (count === 0) return 0;
  record(tx, team, {
    action: 'webhook_deliveries.given_up',
    target: { type: 'team', id: team.id },
    data: { givenUp: count, mostWaiting: max },
  });
  const { used } = await windows.count(tx, { subject: `given up ${team.id}`, seconds: mailAgainAfterSeconds, now });
  if (used === 1) {
    const link = `${team.platform.publicUrl}/webhooks?team=${team.id}`;
    const values = { teamName: await teamName(tx, team), max };
    const admins = await adminsOf(tx, team);
    const mails = admins.map((admin) => givenUpMail(admin, link, values));
    await queueMails(tx, team, mails);
  }
  return count;
};

/** Limits the waiting deliveries of every team. */
export const boundWaiting = async (platform: Platform, max: number = deliveryLimits.waitingPerTeam): Promise<void> => {
  const { database } = platform;
  for (const { tenantId, count } of await waiting.crowdedTeams(database, max)) {
    const team = await actIn(platform, { kind: 'service' }, tenantId);
    for (let left = count - max, given = 1; left > 0 && given > 0; left -= given)
      given = await database.transaction((tx) => giveUp(tx, team, left, max), { group: tenantId });
  }
};
