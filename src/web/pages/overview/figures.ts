import type { Overview } from '../../../modules/overview/schema.ts';
import { count, number, sumOf } from '../../kit/text/figures.ts';
import { daysSince } from '../../kit/text/dates.ts';
import { locale, t } from '../../language/texts.ts';

/** The area with the lowest score; undefined before the first evaluation. */
export const weakestOf = <Area extends { value: number | null }>(
  areas: readonly Area[],
): (Area & { value: number }) | undefined =>
  areas
    .flatMap((area) => (area.value === null ? [] : [{ ...area, value: area.value }]))
    .toSorted((a, b) => a.value - b.value)[0];

type RequestCounts = Pick<Overview['requests'][number], 'requests' | 'refused' | 'limited' | 'failed'>;

/**
 * The number of requests in the last seven days and in the seven days before. `refused`: how many requests of the last
 * seven days were refused, limited or failed.
 */
export const requestsOf = (days: readonly RequestCounts[]) => {
  const [before, week] = [days.slice(0, -7), days.slice(-7)];
  return {
    week: sumOf(week, 'requests'),
    before: sumOf(before, 'requests'),
    refused: sumOf(week, 'refused') + sumOf(week, 'limited') + sumOf(week, 'failed'),
  };
};

export const requestsText = ({ before, refused }: ReturnType<typeof requestsOf>): string => {
  const former = t(`${number(before)} in den 7 Tagen davor`, `${number(before)} in the 7 days before`);
  const bad =
    refused === 0
      ? t('keine abgelehnt', 'none rejected')
      : t(`${number(refused)} abgelehnt oder fehlgeschlagen`, `${number(refused)} rejected or failed`);
  return `${former} · ${bad}`;
};

/** The endpoints that get no events at the moment. */
export const idleText = ({ paused, disabled }: Pick<Overview['endpoints'], 'paused' | 'disabled'>): string => {
  const idle = [
    paused > 0 && t(`${number(paused)} pausiert`, `${number(paused)} paused`),
    disabled > 0 && t(`${number(disabled)} deaktiviert`, `${number(disabled)} disabled`),
  ].filter((part) => part !== false);
  return idle.length > 0 ? idle.join(', ') : t('Keiner pausiert', 'None paused');
};

export const overdueText = (overdue: number): string =>
  overdue > 0
    ? t(`Davon ${number(overdue)} überfällig`, `${number(overdue)} of them overdue`)
    : t('Keine überfällig', 'None overdue');

export const pendingInvitationsText = (open: number): string =>
  open === 0
    ? t('Keine offenen Einladungen', 'No pending invitations')
    : count(open, t('offene Einladung', 'pending invitation'), t('offene Einladungen', 'pending invitations'));

export const ofAllText = (some: number, all: number): string =>
  t(`${number(some)} von ${number(all)}`, `${number(some)} of ${number(all)}`);

export const lastWeekText = (trainings: number): string =>
  t(
    `Diese Woche bisher · ${number(trainings)} zur selben Zeit der Vorwoche`,
    `This week so far · ${number(trainings)} by the same time last week`,
  );

// The matters that need attention.

export const failedMailsText = (found: number): string =>
  count(
    found,
    t('nicht zugestellte E-Mail', 'undelivered email'),
    t('nicht zugestellte E-Mails', 'undelivered emails'),
  );

export const expiredInvitationsText = (found: number): string =>
  count(found, t('abgelaufene Einladung', 'expired invitation'), t('abgelaufene Einladungen', 'expired invitations'));

export const endingInvitationsText = (found: number): string =>
  count(
    found,
    t('Einladung läuft bald ab', 'invitation expires soon'),
    t('Einladungen laufen bald ab', 'invitations expire soon'),
  );

export const overdueAssignmentsText = (found: number): string =>
  count(found, t('überfällige Aufgabe', 'overdue assignment'), t('überfällige Aufgaben', 'overdue assignments'));

export const oldestText = (due: string, now = new Date()): string =>
  t(
    `Die älteste seit ${count(daysSince(due, now), 'Tag', 'Tagen')}.`,
    `The oldest is ${count(daysSince(due, now), 'day', 'days')} late.`,
  );

/** The share of the requests that had a certain kind of answer. */
export const shareText = (found: number, all: number): string =>
  (found / all).toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 1 });

export const inactiveText = (found: number): string =>
  count(
    found,
    t('Mitglied hat seit 14 Tagen nicht geübt', 'member has not practised for 14 days'),
    t('Mitglieder haben seit 14 Tagen nicht geübt', 'members have not practised for 14 days'),
  );

/** Some of the names, and the number of the others, as the parts of an enumeration. */
export const namesInParts = (names: readonly string[], all: number) => {
  const more = all - names.length;
  const others =
    more > 0 && names.length > 0 ? [count(more, t('weitere Person', 'other'), t('weitere', 'others'))] : [];
  return new Intl.ListFormat(locale()).formatToParts([...names, ...others]);
};
