import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { nameOf } from './member-words.ts';
import type { TeamMember } from './member-words.ts';

/** What follows when something changes for somebody, in words. */
export const useConsequences = () => {
  const t = useText();
  const { data: limits } = app.useAnswer('reference.limits', {});
  const { data: settings } = app.useAnswer('team.settings', {});

  const keysStay = (name: string) =>
    t(
      `API-Schlüssel, die ${name} angelegt hat, gelten weiter, können aber niemanden mehr zum Admin machen oder Admins entfernen.`,
      `API keys that ${name} made stay valid, but can no longer make anybody an admin or remove admins.`,
    );
  const lastAdmin = t(
    'Ein Team hat immer mindestens einen aktiven Admin: Der letzte muss erst ein anderes Mitglied zum Admin machen.',
    'A team always has at least one active admin: the last one must first make another member an admin.',
  );

  return {
    promotion: () => [
      t(
        'Admins laden ein und entfernen, vergeben Aufgaben und Vorgaben und ändern die Einstellungen des Teams.',
        'Admins invite and remove people, give assignments and policies, and change the team’s settings.',
      ),
      t(
        'Webhooks, Anfragen und das Protokoll stehen ihnen offen. API-Schlüssel legen sie nur mit dem Recht dazu an, das der Inhaber gibt.',
        'Webhooks, the request log and the audit log are open to them. To make API keys they need the right that the owner gives.',
      ),
    ],

    demotion: (member: TeamMember) => [
      t(
        'Die Seiten zur Verwaltung des Teams sind dann sofort gesperrt.',
        'The pages for administering the team are blocked at once.',
      ),
      keysStay(nameOf(member)),
      lastAdmin,
    ],

    rightGiven: ({ role }: TeamMember) => [
      t(
        'Mit diesem Recht kann die Person API-Schlüssel anlegen, ablösen und widerrufen.',
        'With this right, the person can make, replace and revoke API keys.',
      ),
      role === 'member'
        ? t('Wirksam wird es, sobald die Person Admin ist.', 'It takes effect as soon as the person is an admin.')
        : undefined,
    ],

    rightTaken: (member: TeamMember) => [
      t(
        `${nameOf(member)} kann keine API-Schlüssel mehr anlegen, ablösen oder widerrufen.`,
        `${nameOf(member)} can no longer make, replace or revoke API keys.`,
      ),
      t('Schlüssel, die es schon gibt, gelten weiter.', 'Keys that exist stay valid.'),
    ],

    resent: ({ email }: TeamMember) => [
      limits
        ? t(
            `${email} bekommt einen neuen Link, der ${limits.invitation_days} Tage gilt.`,
            `${email} gets a new link that is valid for ${limits.invitation_days} days.`,
          )
        : undefined,
      t('Der Link in der früheren Mail gilt nicht mehr.', 'The link in the former mail stops working.'),
      settings
        ? t(
            `Das zählt als Einladung: in dieser Stunde sind noch ${settings.invitations.left} von ${settings.invitations.limit} übrig.`,
            `It counts as an invitation: ${settings.invitations.left} of ${settings.invitations.limit} are left this hour.`,
          )
        : undefined,
    ],

    withdrawn: () => [
      t('Der Link in der Mail gilt sofort nicht mehr.', 'The link in the mail stops working at once.'),
      t(
        'Der Platz wird frei. Schon vergebene Aufgaben werden zurückgezogen.',
        'The seat becomes free. Assignments that were given are revoked.',
      ),
    ],

    removed: (member: TeamMember) => [
      t('Der Zugang endet sofort, auch in offenen Sitzungen.', 'Access ends at once, in open sessions too.'),
      t(
        'Alle Aufgaben der Person werden zurückgezogen; das lässt sich nicht rückgängig machen.',
        'All of the person’s assignments are revoked; this can’t be undone.',
      ),
      t(
        'Trainings und Auswertungen der Person erscheinen in keiner Liste mehr.',
        'The person’s trainings and evaluations no longer appear in any list.',
      ),
      keysStay(nameOf(member)),
      t(
        'Der Platz wird frei. Für eine Rückkehr ist eine neue Einladung nötig.',
        'The seat becomes free. To come back, the person needs a new invitation.',
      ),
      member.role === 'admin' ? lastAdmin : undefined,
    ],
  };
};
