import type { GivenAssignments } from '../../../modules/assignments/schema.ts';
import { daysSince } from '../../kit/text/dates.ts';
import { count, number } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';

export const assignments = (found: number): string =>
  count(found, t('Aufgabe', 'assignment'), t('Aufgaben', 'assignments'));

/** The question before reminders: of so many assignments, to so many people. */
export const remindersQuestion = (found: number, people: number): string => {
  const whom = count(people, t('Person', 'person'), t('Personen', 'people'));
  return t(`${whom} an ${assignments(found)} erinnern?`, `Remind ${whom} of ${assignments(found)}?`);
};

/** The same to one person. */
export const reminderQuestion = (name: string, found: number): string =>
  t(`${name} an ${assignments(found)} erinnern?`, `Remind ${name} of ${assignments(found)}?`);

/** The change of due days, as a title and as a button. */
export const dueDatesText = (found: number): string =>
  found === 1
    ? t('Fälligkeit ändern', 'Change due date')
    : t(`${number(found)} Fälligkeiten ändern`, `Change ${number(found)} due dates`);

/** How long an assignment is overdue. */
export const lateText = (due: string, now = new Date()): string =>
  count(daysSince(due, now), t('Tag überfällig', 'day overdue'), t('Tage überfällig', 'days overdue'));

export const remindedText = (done: number): string =>
  t(`An ${assignments(done)} erinnert.`, `Reminded of ${assignments(done)}.`);

/** Says how many members got an assignment, and how many of them no mail. */
export const givenText = (given: number, unmailed: GivenAssignments['unmailed']): string => {
  const created =
    given === 1
      ? t('Aufgabe zugewiesen.', 'Assignment created.')
      : t(`${number(given)} Aufgaben zugewiesen.`, `${number(given)} assignments created.`);
  const missed = unmailed.filter(({ reason }) => reason !== 'invited').length;
  if (missed === 0) return created;
  const withoutMail = count(
    missed,
    t('Person erhält keine E-Mail', 'person won’t get an email'),
    t('Personen erhalten keine E-Mail', 'people won’t get an email'),
  );
  return `${created} ${withoutMail}${t(', weil das Tageslimit erreicht ist.', ' because the daily limit is reached.')}`;
};
