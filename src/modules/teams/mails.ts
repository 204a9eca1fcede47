import { daysToMs, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { ownerOf } from '../membership/service.ts';
import { passwordResetLink, welcomeDays } from '../people/service.ts';
import { hasPassword } from '../people/store.ts';

// The mails to a team's owner about the team itself: when it is created, and when it ends.

const readyMail = mailTemplate<{ teamName: string }>('team_created', {
  de: ({ teamName }) => ({
    lead: `Das Team „${quotable(teamName)}“ ist eingerichtet. Sie sind der Inhaber. Melden Sie sich mit dieser E-Mail-Adresse und Ihrem Passwort an.`,
    action: 'Anmelden',
    ending: 'Danach können Sie Mitglieder einladen und, je nach Tarif, API-Schlüssel anlegen.',
  }),
  en: ({ teamName }) => ({
    lead: `The team “${quotable(teamName)}” is ready. You are its owner. Sign in with this email address and your password.`,
    action: 'Sign in',
    ending: 'After that you can invite members and, depending on the plan, create API keys.',
  }),
});

const readyMailWithoutPassword = mailTemplate<{ teamName: string; expiresAt: Date }>('team_created', {
  de: ({ teamName, expiresAt }, { day }) => ({
    lead: `Das Team „${quotable(teamName)}“ ist eingerichtet. Sie sind der Inhaber. Legen Sie ein Passwort fest, um sich anzumelden.`,
    action: 'Passwort festlegen',
    ending: `Der Link ist bis ${day(expiresAt)} gültig und kann nur einmal verwendet werden. Danach können Sie auf der Anmeldeseite unter „Passwort vergessen?“ einen neuen anfordern.`,
  }),
  en: ({ teamName, expiresAt }, { day }) => ({
    lead: `The team “${quotable(teamName)}” is ready. You are its owner. Set a password to sign in.`,
    action: 'Set a password',
    ending: `The link is valid until ${day(expiresAt)} and can be used only once. After that you can request a new one on the sign-in page, under “Forgot your password?”.`,
  }),
});

interface NewOwner {
  id: string;
  email: string;
  language: Language;
}

/**
 * Mails a new team's owner how to sign in, with a link that sets a password if they have none. It must be the
 * transaction's last step.
 */
export const mailNewOwner = async (tx: Tx, team: Team, teamName: string, owner: NewOwner): Promise<void> => {
  const { platform } = team;
  if (await hasPassword(tx, { id: owner.id })) {
    await queueMails(tx, team, [readyMail(owner, `${platform.publicUrl}/?team=${team.id}`, { teamName })]);
    return;
  }
  const link = await passwordResetLink(tx, platform, owner.id, welcomeDays);
  const expiresAt = later(platform.clock.now(), daysToMs(welcomeDays));
  await queueMails(tx, team, [readyMailWithoutPassword(owner, link, { teamName, expiresAt })]);
};

const endedMail = mailTemplate<{ teamName: string; deletionAt: Date }>('team_ended', {
  de: ({ teamName, deletionAt }, { day }) => ({
    lead: `Das Team „${quotable(teamName)}“ wurde beendet. Seine Schlüssel, Webhooks und Seiten sind gesperrt. Am ${day(deletionAt)} werden alle Daten des Teams gelöscht.`,
    action: 'Zur Anmeldung',
    ending: `Bis dahin können Sie sich anmelden und alle Daten des Teams exportieren. Der Betreiber der Plattform kann das Team bis zum ${day(deletionAt)} wieder freischalten. Danach können die Daten nicht wiederhergestellt werden.`,
  }),
  en: ({ teamName, deletionAt }, { day }) => ({
    lead: `The team “${quotable(teamName)}” has ended. Its keys, webhooks and pages are blocked. All data of the team will be deleted on ${day(deletionAt)}.`,
    action: 'Go to the sign-in page',
    ending: `Until then you can sign in and export all team data. The platform operator can reactivate the team until ${day(deletionAt)}. After that, the data can’t be restored.`,
  }),
});

/**
 * Mails the owner of a team that has ended. The mail says until when the team can be resumed or exported. It must be
 * the transaction's last step.
 */
export const mailOwnerOfEndedTeam = async (
  tx: Tx,
  team: Team,
  { teamName, endedAt }: { teamName: string; endedAt: Date },
): Promise<void> => {
  const owner = await ownerOf(tx, team);
  if (!owner) return;
  const { publicUrl, teamDeletionDays } = team.platform;
  const deletionAt = later(endedAt, daysToMs(teamDeletionDays));
  await queueMails(tx, team, [endedMail(owner, `${publicUrl}/?team=${team.id}`, { teamName, deletionAt })]);
};
