import type { GivenAssignments, RemindedPeople } from '../../../modules/assignments/schema.ts';
import { daysSince } from '../../kit/text/dates.ts';
import { count, number } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';
import type { WhoGets } from './recipients.ts';

export const assignments = (found: number): string =>
  count(found, t('Aufgabe', 'assignment'), t('Aufgaben', 'assignments'));

export const people = (found: number): string => count(found, t('Person', 'person'), t('Personen', 'people'));

/** The button that gives an assignment to a number of people. */
export const assignText = (found: number): string =>
  found === 0
    ? t('Aufgabe zuweisen', 'Create assignment')
    : t(`An ${people(found)} zuweisen`, `Assign to ${people(found)}`);

/** The button that adds a number of people to the recipients. */
export const addText = (found: number): string => t(`${people(found)} hinzufügen`, `Add ${people(found)}`);

export const inactiveText = (days: number): string =>
  t(`Seit ${number(days)} Tagen nicht geübt`, `Not practised for ${number(days)} days`);

/**
 * How many of the recipients have this assignment open. If none has, how many had an assignment of the same situation.
 */
export const holdersText = ({ open, had }: { open: number; had: number }): string =>
  open > 0
    ? count(
        open,
        t('Person hat diese Aufgabe bereits offen', 'person already has this assignment open'),
        t('Personen haben diese Aufgabe bereits offen', 'people already have this assignment open'),
      )
    : count(
        had,
        t('Person hatte schon eine Aufgabe zu dieser Situation', 'person has had an assignment for this situation'),
        t('Personen hatten schon eine Aufgabe zu dieser Situation', 'people have had an assignment for this situation'),
      );

/** A choice among the recipients, with the number of those who then get the assignment. */
export const whoGetsText = (who: WhoGets, found: number): string => {
  const texts: Readonly<Record<WhoGets, string>> = {
    all: t('Allen zuweisen', 'Assign to all'),
    'not open': t('Nur wer sie nicht schon offen hat', 'Only those who don’t have it open'),
    'never had': t('Nur wer zu dieser Situation noch keine hatte', 'Only those who never had one for this situation'),
  };
  return `${texts[who]} (${number(found)})`;
};

/** The question before reminders are sent: how many assignments, and to which person or how many people. */
export const remindersQuestion = (found: number, names: readonly string[]): string => {
  const [name] = names;
  const whom = names.length === 1 && name !== undefined ? name : people(names.length);
  return t(`${whom} an ${assignments(found)} erinnern?`, `Remind ${whom} of ${assignments(found)}?`);
};

/** The button that reminds a number of people. */
export const remindText = (found: number): string => t(`${people(found)} erinnern`, `Remind ${people(found)}`);

interface Reminders {
  readonly mails: number;
  /** Assignments for which a reminder can be sent only later. */
  readonly lately: number;
  /** People who get no mails yet. */
  readonly unreachable: number;
}

/** The sentences below the question whether to send reminders. */
export const reminderTexts = ({ mails, lately, unreachable }: Reminders): string[] =>
  [
    mails === 0
      ? t('Es wird keine E-Mail gesendet.', 'No email will be sent.')
      : count(
          mails,
          t('E-Mail wird gesendet.', 'email will be sent.'),
          t('E-Mails werden gesendet, eine pro Person.', 'emails will be sent, one to each person.'),
        ),
    lately > 0 &&
      t(
        `An ${assignments(lately)} wurde in den letzten 24 Stunden schon erinnert.`,
        `${assignments(lately)} had a reminder within the last 24 hours.`,
      ),
    unreachable > 0 &&
      t(
        `${people(unreachable)} ohne E-Mail, weil die Einladung noch nicht angenommen ist.`,
        `${people(unreachable)} without an email, as the invitation has not been accepted yet.`,
      ),
  ].filter((text) => text !== false);

/** How many members were reminded in the last days, and how many of them have practised since. */
export const remindedPeopleText = ({ days, people: found, practised }: RemindedPeople): string =>
  t(
    `In den letzten ${number(days)} Tagen erinnert: ${people(found)}. Seitdem geübt: ${number(practised)} von ${number(found)}.`,
    `Reminded in the last ${number(days)} days: ${people(found)}. Practised since: ${number(practised)} of ${number(found)}.`,
  );

/** The change of due days, as the title of a dialog and as its button. */
export const dueDatesText = (found: number): string =>
  found === 1
    ? t('Fälligkeit ändern', 'Change due date')
    : t(`${number(found)} Fälligkeiten ändern`, `Change ${number(found)} due dates`);

/** How long an assignment is overdue. */
export const lateText = (due: string, now = new Date()): string =>
  count(daysSince(due, now), t('Tag überfällig', 'day overdue'), t('Tage überfällig', 'days overdue'));

export const remindedText = (done: number): string =>
  t(`An ${assignments(done)} erinnert.`, `Reminded of ${assignments(done)}.`);

/** Says how many members got an assignment, and how many of them get no mail about it because of the daily limit. */
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

export const remindedBy = ({ automatic, by }: { automatic: boolean; by: string | null }): string => {
  if (automatic) return t('automatisch', 'automatically');
  return by === null ? t('von einer gelöschten Person', 'by an erased person') : t(`von ${by}`, `by ${by}`);
};
