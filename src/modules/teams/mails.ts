import { daysToMs, later } from '../../core/clock.ts';
import type { Language } from '../../core/language.ts';
import { quotable } from '../../core/name-text.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { letter, queueMails } from '../mail/service.ts';
import { ownerOf } from '../members/membership.ts';
import { hasPassword, passwordResetLink, welcomeDays } from '../people/service.ts';

// The mails to a team's owner about the team itself: when it is made, and when it ends.

type Parts = Record<'lead' | 'action' | 'ending', string>;

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const dayIn = (language: Language, time: Date): string =>
  time.toLocaleDateString(locale[language], { dateStyle: 'long', timeZone: 'Europe/Berlin' });

const welcome: Readonly<
  Record<Language, Record<'withPassword' | 'new', (words: { teamName: string; until: string }) => Parts>>
> = {
  de: {
    withPassword: ({ teamName }) => ({
      lead: `Das Team „${teamName}“ ist eingerichtet, und Sie sind sein Inhaber. Melden Sie sich mit dieser E-Mail-Adresse und Ihrem Passwort an.`,
      action: 'Anmelden',
      ending: 'Danach können Sie Mitglieder einladen und, je nach Tarif, API-Schlüssel anlegen.',
    }),
    new: ({ teamName, until }) => ({
      lead: `Das Team „${teamName}“ ist eingerichtet, und Sie sind sein Inhaber. Legen Sie ein Passwort fest, um sich anzumelden.`,
      action: 'Passwort festlegen',
      ending: `Der Link gilt einmal und bis ${until}. Danach können Sie auf der Anmeldeseite unter „Passwort vergessen?“ einen neuen anfordern.`,
    }),
  },
  en: {
    withPassword: ({ teamName }) => ({
      lead: `The team “${teamName}” is ready, and you are its owner. Sign in with this email address and your password.`,
      action: 'Sign in',
      ending: 'After that you can invite members and, depending on the plan, create API keys.',
    }),
    new: ({ teamName, until }) => ({
      lead: `The team “${teamName}” is ready, and you are its owner. Set a password to sign in.`,
      action: 'Set a password',
      ending: `The link works once and until ${until}. After that you can request a new one on the sign-in page, under “Forgot your password?”.`,
    }),
  },
};

interface NewOwner {
  id: string;
  email: string;
  language: Language;
}

/** Mails a new team's owner how to sign in, as the transaction's last step: with a link for a password if they have none. */
export const mailNewOwner = async (tx: Tx, team: Team, teamName: string, owner: NewOwner): Promise<void> => {
  const { platform } = team;
  const { email: recipient, language } = owner;
  const known = await hasPassword(tx, owner.id);
  const link = known
    ? `${platform.publicUrl}/?team=${team.id}`
    : await passwordResetLink(tx, platform, owner.id, welcomeDays);
  const until = dayIn(language, later(platform.clock.now(), daysToMs(welcomeDays)));
  const parts = welcome[language][known ? 'withPassword' : 'new']({ teamName: quotable(teamName), until });
  await queueMails(tx, team, [
    { recipient, language, kind: 'team_created', content: letter(language, { ...parts, link }) },
  ]);
};

const ended: Readonly<Record<Language, (words: { teamName: string; until: string }) => Parts>> = {
  de: ({ teamName, until }) => ({
    lead: `Das Team „${teamName}“ wurde beendet. Seine Schlüssel, Webhooks und Seiten sind gesperrt. Am ${until} werden alle Daten des Teams gelöscht.`,
    action: 'Zur Anmeldung',
    ending: `Bis dahin können Sie alle Daten des Teams nach der Anmeldung exportieren, und der Betreiber der Plattform kann das Team wieder freigeben. Wenden Sie sich dazu vor dem ${until} an ihn. Nach der Löschung lässt sich nichts wiederherstellen.`,
  }),
  en: ({ teamName, until }) => ({
    lead: `The team “${teamName}” has ended. Its keys, webhooks and pages are blocked. All data of the team will be deleted on ${until}.`,
    action: 'Go to the sign-in page',
    ending: `Until then you can sign in and export all data of the team, and the operator of the platform can resume the team. To have it resumed, contact the operator before ${until}. After the deletion nothing can be restored.`,
  }),
};

/** Mails the owner of a team that ended until when it can be resumed or exported, as the transaction's last step. */
export const mailOwnerOfEndedTeam = async (
  tx: Tx,
  team: Team,
  { teamName, endedAt }: { teamName: string; endedAt: Date },
): Promise<void> => {
  const owner = await ownerOf(tx, team);
  if (!owner) return;
  const { publicUrl, teamDeletionDays } = team.platform;
  const { email: recipient, language } = owner;
  const until = dayIn(language, later(endedAt, daysToMs(teamDeletionDays)));
  const parts = ended[language]({ teamName: quotable(teamName), until });
  const content = letter(language, { ...parts, link: `${publicUrl}/?team=${team.id}` });
  await queueMails(tx, team, [{ recipient, language, kind: 'team_ended', content }]);
};
