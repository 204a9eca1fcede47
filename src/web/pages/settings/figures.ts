import type { OwnCompanySignInState } from '../../../modules/company-sign-in/schema.ts';
import type { DirectoryState } from '../../../modules/provisioning/schema.ts';
import { count, number } from '../../kit/text/figures.ts';
import { locale, t } from '../../language/texts.ts';

type Strict = 'second_factor' | 'company';

type Readiness = OwnCompanySignInState['readiness'];

/** The number of members who can't meet a demand yet. */
export const unreadyOf = (readiness: Readiness, demand: Strict): number => readiness.members - readiness[demand];

export const readyText = (readiness: Readiness, demand: Strict): string =>
  t(
    `${number(readiness[demand])} von ${number(readiness.members)} bereit`,
    `${number(readiness[demand])} of ${number(readiness.members)} ready`,
  );

/** Says why members can't meet a demand yet. */
export const lackText = (unready: number, demand: Strict): string =>
  demand === 'company'
    ? count(
        unready,
        t('hat sich noch nie mit dem Firmenkonto angemeldet.', 'has never signed in with the company account.'),
        t('haben sich noch nie mit dem Firmenkonto angemeldet.', 'have never signed in with the company account.'),
      )
    : count(
        unready,
        t('hat weder einen zweiten Faktor noch einen Passkey.', 'has neither a second factor nor a passkey.'),
        t('haben weder einen zweiten Faktor noch einen Passkey.', 'have neither a second factor nor a passkey.'),
      );

/** Says how many members a demand concerns, and its effect on them. */
export const concernedText = (unready: number, members: number, isNow: boolean): string => {
  if (unready === 0) return t('Alle Mitglieder sind bereit.', 'All members are ready.');
  const who = t(
    `${number(unready)} von ${count(members, 'Mitglied', 'Mitgliedern')}`,
    `${number(unready)} of ${count(members, 'member', 'members')}`,
  );
  if (isNow) {
    return unready === 1
      ? t(
          `${who} wird sofort ausgesperrt, bis es eingerichtet ist.`,
          `${who} is shut out at once, until they have set it up.`,
        )
      : t(
          `${who} werden sofort ausgesperrt, bis sie es eingerichtet haben.`,
          `${who} are shut out at once, until they have set it up.`,
        );
  }
  return unready === 1
    ? t(
        `${who} muss es bis dahin einrichten und ist danach ausgesperrt, bis das getan ist.`,
        `${who} has to set it up by then. After that they are shut out until they do.`,
      )
    : t(
        `${who} müssen es bis dahin einrichten. Danach sind sie ausgesperrt, bis sie es getan haben.`,
        `${who} have to set it up by then. After that they are shut out until they do.`,
      );
};

/** Says when the members who are not ready get a mail. `mailsLeft`: how many mails can still be sent today. */
export const mailedText = (unready: number, mailsLeft: number): string | undefined => {
  if (unready === 0) return undefined;
  if (mailsLeft === 0) {
    return t(
      'Die E-Mail mit der Anleitung folgt an den nächsten Tagen: Heute sind keine E-Mails mehr möglich.',
      'The email that says how follows on the next days: no more emails are possible today.',
    );
  }
  if (unready <= mailsLeft) {
    return unready === 1
      ? t(
          'Diese Person erhält eine E-Mail mit der Anleitung: jetzt, oder morgen, wenn sie heute schon eine erhalten hat.',
          'This person gets an email that says how: now, or tomorrow if they got one today already.',
        )
      : t(
          'Sie erhalten eine E-Mail mit der Anleitung: jetzt, oder morgen, wenn sie heute schon eine erhalten haben.',
          'They get an email that says how: now, or tomorrow if they got one today already.',
        );
  }
  return mailsLeft === 1
    ? t(
        '1 Person davon erhält heute eine E-Mail mit der Anleitung, die übrigen an den folgenden Tagen: Mehr E-Mails sind heute nicht möglich.',
        '1 of them gets an email today that says how, the others on the following days: no more emails are possible today.',
      )
    : t(
        `${number(mailsLeft)} von ihnen erhalten heute eine E-Mail mit der Anleitung, die übrigen an den folgenden Tagen: Mehr E-Mails sind heute nicht möglich.`,
        `${number(mailsLeft)} of them get an email today that says how, the others on the following days: no more emails are possible today.`,
      );
};

export const confirmedDomainsText = (found: number): string =>
  count(found, t('bestätigte Domain', 'confirmed domain'), t('bestätigte Domains', 'confirmed domains'));

/** The number of people about whom the directory has sent data. */
export const knownPeopleText = ({ active, invited, deactivated }: DirectoryState['people']): string =>
  count(active + invited + deactivated, t('Person', 'person'), t('Personen', 'people'));

/** The people of the team by role. */
export const rolesText = ({ admin, member }: { admin: number; member: number }): string => {
  const admins = count(admin, t('Admin', 'admin'), t('Admins', 'admins'));
  const members = count(member, t('Mitglied', 'member'), t('Mitglieder', 'members'));
  return t(
    `1 Inhaber, ${admins}, ${members}, einschließlich offener Einladungen.`,
    `1 owner, ${admins}, ${members}, including pending invitations.`,
  );
};

export const perMinuteText = (requests: number): string =>
  t(`${count(requests, 'Anfrage', 'Anfragen')} pro Minute`, `${count(requests, 'request', 'requests')} per minute`);

export const leftThisHourText = ({ left, limit }: { left: number; limit: number }): string =>
  t(
    `${number(left)} von ${number(limit)} übrig in dieser Stunde`,
    `${number(left)} of ${number(limit)} left this hour`,
  );

const mebibyteBytes = 1024 ** 2;
const gibibyteBytes = 1024 ** 3;

/** `1,5 GiB` */
export const sizeText = (bytes: number): string => {
  const [value, unit] = bytes < gibibyteBytes ? [bytes / mebibyteBytes, 'MiB'] : [bytes / gibibyteBytes, 'GiB'];
  return `${value.toLocaleString(locale(), { maximumFractionDigits: 1 })} ${unit}`;
};

/** The missing step before members can sign in; undefined if none is missing. */
export const missingText = ({
  provider,
  domains,
}: {
  provider: unknown;
  domains: readonly { proven: boolean }[];
}): string | undefined => {
  if (!provider) return t('Noch nicht nutzbar: Anbieter eintragen', 'Not usable yet: add a provider');
  if (domains.some(({ proven }) => proven)) return undefined;
  return domains.length > 0
    ? t('Noch nicht nutzbar: Domain bestätigen', 'Not usable yet: confirm the domain')
    : t('Noch nicht nutzbar: Domain hinzufügen', 'Not usable yet: add a domain');
};
