import { describe, expect, it } from 'vitest';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import { changeText, toneOfChange } from '../../src/web/kit/charts/change.ts';
import { doneText, failedText, forGood, namesInBrief, rowsText } from '../../src/web/kit/list/counts.ts';
import { alike, count, durationInWords, milliseconds, number, waitInWords } from '../../src/web/kit/text/figures.ts';
import { decimal, timeBefore, trainingsOf } from '../../src/web/pages/analytics/trend-words.ts';
import { areFew, codesLeftText } from '../../src/web/pages/account/figures.ts';
import {
  addText,
  assignments,
  assignText,
  dueDatesText,
  givenText,
  holdersText,
  inactiveText,
  lateText,
  remindedBy,
  remindedPeopleText,
  remindedText,
  remindersQuestion,
  reminderTexts,
  remindText,
  whoGetsText,
} from '../../src/web/pages/assignments/figures.ts';
import { releasedText } from '../../src/web/pages/catalog/policy.ts';
import { deletedText, importedText, probabilityText } from '../../src/web/pages/crm/figures.ts';
import * as keys from '../../src/web/pages/keys/figures.ts';
import * as members from '../../src/web/pages/members/figures.ts';
import * as overview from '../../src/web/pages/overview/figures.ts';
import { moreFlawsText } from '../../src/web/pages/requests/request-words.ts';
import * as settings from '../../src/web/pages/settings/figures.ts';
import { lengthOf } from '../../src/web/pages/trainings/figures.ts';
import * as webhooks from '../../src/web/pages/webhooks/figures.ts';

// The figures of the pages and the words beside them, in both languages.

type Said = Record<'de' | 'en', (string | undefined)[]>;

const said = (text: (value: number) => string | undefined, values: readonly number[]): Said => {
  const all: Said = { de: [], en: [] };
  for (const language of ['de', 'en'] as const) {
    setCurrentLanguage(language);
    for (const value of values) all[language].push(text(value)?.replaceAll('\u00a0', ' '));
  }
  return all;
};

const textOf = (parts: readonly { value: string }[]): string => parts.map(({ value }) => value).join('');

/** A text about a number, for 0, 1, 2 and 1,000. */
type Row = [name: string, text: (value: number) => string | undefined, de: unknown[], en: unknown[]];

const rows: Row[] = [
  ['a number', number, ['0', '1', '2', '1.000'], ['0', '1', '2', '1,000']],
  [
    'a number with its noun',
    (value) => count(value, 'one', 'other'),
    ['0 other', '1 one', '2 other', '1.000 other'],
    ['0 other', '1 one', '2 other', '1,000 other'],
  ],
  [
    'rows of a list',
    (rows) => rowsText({ rows, more: false, isFiltered: false }),
    ['0 Einträge', '1 Eintrag', '2 Einträge', '1.000 Einträge'],
    ['0 entries', '1 entry', '2 entries', '1,000 entries'],
  ],
  [
    'rows that match, and more',
    (rows) => rowsText({ rows, more: true, isFiltered: true }),
    ['Mehr als 0 Treffer', 'Mehr als 1 Treffer', 'Mehr als 2 Treffer', 'Mehr als 1.000 Treffer'],
    ['More than 0 matches', 'More than 1 match', 'More than 2 matches', 'More than 1,000 matches'],
  ],
  [
    'rows for which an action was not possible',
    (failed) => failedText({ done: 1, failed }),
    [
      'Bei 0 von 1 war das nicht möglich',
      'Bei 1 von 2 war das nicht möglich',
      'Bei 2 von 3 war das nicht möglich',
      'Bei 1.000 von 1.001 war das nicht möglich',
    ],
    [
      'This was not possible for 0 of 1',
      'This was not possible for 1 of 2',
      'This was not possible for 2 of 3',
      'This was not possible for 1,000 of 1,001',
    ],
  ],
  [
    'the progress of an action',
    (done) => doneText({ done, total: 1_000 }),
    ['0 von 1.000 erledigt', '1 von 1.000 erledigt', '2 von 1.000 erledigt', '1.000 von 1.000 erledigt'],
    ['0 of 1,000 done', '1 of 1,000 done', '2 of 1,000 done', '1,000 of 1,000 done'],
  ],

  [
    'members',
    members.members,
    ['0 Mitglieder', '1 Mitglied', '2 Mitglieder', '1.000 Mitglieder'],
    ['0 members', '1 member', '2 members', '1,000 members'],
  ],
  [
    'invitations',
    members.invitations,
    ['0 Einladungen', '1 Einladung', '2 Einladungen', '1.000 Einladungen'],
    ['0 invitations', '1 invitation', '2 invitations', '1,000 invitations'],
  ],
  [
    'invitations that are sent later',
    members.laterText,
    [
      '0 Einladungen werden später gesendet',
      '1 Einladung wird später gesendet',
      '2 Einladungen werden später gesendet',
      '1.000 Einladungen werden später gesendet',
    ],
    [
      '0 invitations will be sent later',
      '1 invitation will be sent later',
      '2 invitations will be sent later',
      '1,000 invitations will be sent later',
    ],
  ],
  [
    'invitations that wait',
    members.waitingText,
    ['0 Einladungen warten', '1 Einladung wartet', '2 Einladungen warten', '1.000 Einladungen warten'],
    ['0 invitations wait', '1 invitation waits', '2 invitations wait', '1,000 invitations wait'],
  ],
  [
    'the question before waiting invitations are deleted',
    members.cancelWaitingText,
    [
      '0 wartende Einladungen löschen?',
      '1 wartende Einladung löschen?',
      '2 wartende Einladungen löschen?',
      '1.000 wartende Einladungen löschen?',
    ],
    [
      'Delete 0 waiting invitations?',
      'Delete 1 waiting invitation?',
      'Delete 2 waiting invitations?',
      'Delete 1,000 waiting invitations?',
    ],
  ],
  [
    'canceled invitations',
    members.canceledText,
    ['0 Einladungen gelöscht.', '1 Einladung gelöscht.', '2 Einladungen gelöscht.', '1.000 Einladungen gelöscht.'],
    ['0 invitations deleted.', '1 invitation deleted.', '2 invitations deleted.', '1,000 invitations deleted.'],
  ],
  [
    'the button that invites',
    members.inviteText,
    ['0 Personen einladen', '1 Person einladen', '2 Personen einladen', '1.000 Personen einladen'],
    ['Invite 0 people', 'Invite 1 person', 'Invite 2 people', 'Invite 1,000 people'],
  ],
  [
    'lines that are not shown',
    members.moreLinesText,
    ['und 0 weitere Zeilen', 'und 1 weitere Zeile', 'und 2 weitere Zeilen', 'und 1.000 weitere Zeilen'],
    ['and 0 more lines', 'and 1 more line', 'and 2 more lines', 'and 1,000 more lines'],
  ],
  [
    'free seats',
    members.seatsLeftText,
    [
      'Alle Plätze des Teams sind belegt.',
      'Nur noch 1 Platz ist frei.',
      'Nur noch 2 Plätze sind frei.',
      'Nur noch 1.000 Plätze sind frei.',
    ],
    [
      'All seats of the team are taken.',
      'Only 1 seat is available.',
      'Only 2 seats are available.',
      'Only 1,000 seats are available.',
    ],
  ],
  [
    'taken seats',
    (taken) => members.seatsTakenText({ taken, total: 1_200 }),
    [
      '0 von 1.200 Plätzen belegt',
      '1 von 1.200 Plätzen belegt',
      '2 von 1.200 Plätzen belegt',
      '1.000 von 1.200 Plätzen belegt',
    ],
    ['0 of 1,200 seats taken', '1 of 1,200 seats taken', '2 of 1,200 seats taken', '1,000 of 1,200 seats taken'],
  ],
  [
    // More can be taken than there are, because the operator may lower the number.
    'taken seats of a single one',
    (taken) => members.seatsTakenText({ taken, total: 1 }),
    ['0 von 1 Platz belegt', '1 von 1 Platz belegt', '2 von 1 Platz belegt', '1.000 von 1 Platz belegt'],
    ['0 of 1 seat taken', '1 of 1 seat taken', '2 of 1 seat taken', '1,000 of 1 seat taken'],
  ],
  [
    'invitations of the hour',
    (left) => members.invitationsLeftText({ left, limit: 60 }),
    [
      'Das zählt als Einladung. In dieser Stunde sind noch 0 von 60 verfügbar.',
      'Das zählt als Einladung. In dieser Stunde ist noch 1 von 60 verfügbar.',
      'Das zählt als Einladung. In dieser Stunde sind noch 2 von 60 verfügbar.',
      'Das zählt als Einladung. In dieser Stunde sind noch 1.000 von 60 verfügbar.',
    ],
    [
      'This counts as an invitation. 0 of 60 are left this hour.',
      'This counts as an invitation. 1 of 60 is left this hour.',
      'This counts as an invitation. 2 of 60 are left this hour.',
      'This counts as an invitation. 1,000 of 60 are left this hour.',
    ],
  ],
  [
    'what goes with a person who is removed',
    (value) => members.holdingsText({ open_assignments: value, assignments: 7, trainings: value }, false),
    [
      'Zurückgezogen: 0 offene Aufgaben. Nicht mehr angezeigt: 0 Trainings.',
      'Zurückgezogen: 1 offene Aufgabe. Nicht mehr angezeigt: 1 Training.',
      'Zurückgezogen: 2 offene Aufgaben. Nicht mehr angezeigt: 2 Trainings.',
      'Zurückgezogen: 1.000 offene Aufgaben. Nicht mehr angezeigt: 1.000 Trainings.',
    ],
    [
      'Withdrawn: 0 open assignments. No longer shown: 0 trainings.',
      'Withdrawn: 1 open assignment. No longer shown: 1 training.',
      'Withdrawn: 2 open assignments. No longer shown: 2 trainings.',
      'Withdrawn: 1,000 open assignments. No longer shown: 1,000 trainings.',
    ],
  ],
  [
    'what goes with a person who is erased',
    (value) => members.holdingsText({ open_assignments: 7, assignments: value, trainings: value }, true),
    [
      'Gelöscht werden 0 Trainings und 0 Aufgaben.',
      'Gelöscht werden 1 Training und 1 Aufgabe.',
      'Gelöscht werden 2 Trainings und 2 Aufgaben.',
      'Gelöscht werden 1.000 Trainings und 1.000 Aufgaben.',
    ],
    [
      '0 trainings and 0 assignments will be erased.',
      '1 training and 1 assignment will be erased.',
      '2 trainings and 2 assignments will be erased.',
      '1,000 trainings and 1,000 assignments will be erased.',
    ],
  ],
  [
    'the question before several become admins',
    (value) => members.roleQuestion(value, 'admin'),
    [
      '0 Mitglieder zu Admins machen?',
      '1 Mitglied zum Admin machen?',
      '2 Mitglieder zu Admins machen?',
      '1.000 Mitglieder zu Admins machen?',
    ],
    ['Make 0 members admins?', 'Make 1 member an admin?', 'Make 2 members admins?', 'Make 1,000 members admins?'],
  ],
  [
    'the question before several become members',
    (value) => members.roleQuestion(value, 'member'),
    [
      '0 Mitglieder zum Mitglied machen?',
      '1 Mitglied zum Mitglied machen?',
      '2 Mitglieder zum Mitglied machen?',
      '1.000 Mitglieder zum Mitglied machen?',
    ],
    [
      'Change the role of 0 members to Member?',
      'Change the role of 1 member to Member?',
      'Change the role of 2 members to Member?',
      'Change the role of 1,000 members to Member?',
    ],
  ],
  [
    'members whose role was changed',
    members.changedText,
    ['0 Mitglieder geändert.', '1 Mitglied geändert.', '2 Mitglieder geändert.', '1.000 Mitglieder geändert.'],
    ['0 members changed.', '1 member changed.', '2 members changed.', '1,000 members changed.'],
  ],
  [
    'the question before several are removed',
    members.removalQuestion,
    [
      '0 Mitglieder aus dem Team entfernen?',
      '1 Mitglied aus dem Team entfernen?',
      '2 Mitglieder aus dem Team entfernen?',
      '1.000 Mitglieder aus dem Team entfernen?',
    ],
    [
      'Remove 0 members from the team?',
      'Remove 1 member from the team?',
      'Remove 2 members from the team?',
      'Remove 1,000 members from the team?',
    ],
  ],
  [
    'removed members',
    members.removedText,
    ['0 Mitglieder entfernt.', '1 Mitglied entfernt.', '2 Mitglieder entfernt.', '1.000 Mitglieder entfernt.'],
    ['0 members removed.', '1 member removed.', '2 members removed.', '1,000 members removed.'],
  ],
  [
    'the question before invitations are sent again',
    members.resendQuestion,
    [
      '0 Einladungen erneut senden?',
      '1 Einladung erneut senden?',
      '2 Einladungen erneut senden?',
      '1.000 Einladungen erneut senden?',
    ],
    ['Resend 0 invitations?', 'Resend 1 invitation?', 'Resend 2 invitations?', 'Resend 1,000 invitations?'],
  ],
  [
    'invitations that were sent again',
    members.resentText,
    ['0 Einladungen gesendet.', '1 Einladung gesendet.', '2 Einladungen gesendet.', '1.000 Einladungen gesendet.'],
    ['0 invitations sent.', '1 invitation sent.', '2 invitations sent.', '1,000 invitations sent.'],
  ],
  [
    'the question before invitations are withdrawn',
    members.withdrawalQuestion,
    [
      '0 Einladungen zurückziehen?',
      '1 Einladung zurückziehen?',
      '2 Einladungen zurückziehen?',
      '1.000 Einladungen zurückziehen?',
    ],
    ['Withdraw 0 invitations?', 'Withdraw 1 invitation?', 'Withdraw 2 invitations?', 'Withdraw 1,000 invitations?'],
  ],
  [
    'withdrawn invitations',
    members.withdrawnText,
    [
      '0 Einladungen zurückgezogen.',
      '1 Einladung zurückgezogen.',
      '2 Einladungen zurückgezogen.',
      '1.000 Einladungen zurückgezogen.',
    ],
    ['0 invitations withdrawn.', '1 invitation withdrawn.', '2 invitations withdrawn.', '1,000 invitations withdrawn.'],
  ],

  [
    'assignments',
    assignments,
    ['0 Aufgaben', '1 Aufgabe', '2 Aufgaben', '1.000 Aufgaben'],
    ['0 assignments', '1 assignment', '2 assignments', '1,000 assignments'],
  ],
  [
    'given assignments',
    (value) => givenText(value, []),
    ['0 Aufgaben zugewiesen.', 'Aufgabe zugewiesen.', '2 Aufgaben zugewiesen.', '1.000 Aufgaben zugewiesen.'],
    ['0 assignments created.', 'Assignment created.', '2 assignments created.', '1,000 assignments created.'],
  ],
  [
    'assignments without a mail',
    (value) =>
      givenText(2, [
        { member_id: 'of an invited person', reason: 'invited' },
        ...Array.from({ length: value }, () => ({ member_id: 'm', reason: 'team_limit' as const })),
      ]),
    [
      '2 Aufgaben zugewiesen.',
      '2 Aufgaben zugewiesen. 1 Person erhält keine E-Mail, weil das Tageslimit erreicht ist.',
      '2 Aufgaben zugewiesen. 2 Personen erhalten keine E-Mail, weil das Tageslimit erreicht ist.',
      '2 Aufgaben zugewiesen. 1.000 Personen erhalten keine E-Mail, weil das Tageslimit erreicht ist.',
    ],
    [
      '2 assignments created.',
      '2 assignments created. 1 person won’t get an email because the daily limit is reached.',
      '2 assignments created. 2 people won’t get an email because the daily limit is reached.',
      '2 assignments created. 1,000 people won’t get an email because the daily limit is reached.',
    ],
  ],
  [
    'the change of due days',
    dueDatesText,
    ['0 Fälligkeiten ändern', 'Fälligkeit ändern', '2 Fälligkeiten ändern', '1.000 Fälligkeiten ändern'],
    ['Change 0 due dates', 'Change due date', 'Change 2 due dates', 'Change 1,000 due dates'],
  ],
  [
    'reminders',
    remindedText,
    ['An 0 Aufgaben erinnert.', 'An 1 Aufgabe erinnert.', 'An 2 Aufgaben erinnert.', 'An 1.000 Aufgaben erinnert.'],
    [
      'Reminded of 0 assignments.',
      'Reminded of 1 assignment.',
      'Reminded of 2 assignments.',
      'Reminded of 1,000 assignments.',
    ],
  ],
  [
    'the button that assigns',
    assignText,
    ['Aufgabe zuweisen', 'An 1 Person zuweisen', 'An 2 Personen zuweisen', 'An 1.000 Personen zuweisen'],
    ['Create assignment', 'Assign to 1 person', 'Assign to 2 people', 'Assign to 1,000 people'],
  ],
  [
    'the button that adds recipients',
    addText,
    ['0 Personen hinzufügen', '1 Person hinzufügen', '2 Personen hinzufügen', '1.000 Personen hinzufügen'],
    ['Add 0 people', 'Add 1 person', 'Add 2 people', 'Add 1,000 people'],
  ],
  [
    'days without practice',
    (value) => (value < 2 ? undefined : inactiveText(value)),
    [undefined, undefined, 'Seit 2 Tagen nicht geübt', 'Seit 1.000 Tagen nicht geübt'],
    [undefined, undefined, 'Not practised for 2 days', 'Not practised for 1,000 days'],
  ],
  [
    'people who have the same assignment, or else had one like it',
    (open) => holdersText({ open, had: 1_000 }),
    [
      '1.000 Personen hatten schon eine Aufgabe zu dieser Situation',
      '1 Person hat diese Aufgabe bereits offen',
      '2 Personen haben diese Aufgabe bereits offen',
      '1.000 Personen haben diese Aufgabe bereits offen',
    ],
    [
      '1,000 people have had an assignment for this situation',
      '1 person already has this assignment open',
      '2 people already have this assignment open',
      '1,000 people already have this assignment open',
    ],
  ],
  [
    'people who had an assignment of the situation',
    (had) => holdersText({ open: 0, had }),
    [
      '0 Personen hatten schon eine Aufgabe zu dieser Situation',
      '1 Person hatte schon eine Aufgabe zu dieser Situation',
      '2 Personen hatten schon eine Aufgabe zu dieser Situation',
      '1.000 Personen hatten schon eine Aufgabe zu dieser Situation',
    ],
    [
      '0 people have had an assignment for this situation',
      '1 person has had an assignment for this situation',
      '2 people have had an assignment for this situation',
      '1,000 people have had an assignment for this situation',
    ],
  ],
  [
    'a choice among recipients',
    (value) => whoGetsText('never had', value),
    ['0', '1', '2', '1.000'].map((value) => `Nur wer zu dieser Situation noch keine hatte (${value})`),
    ['0', '1', '2', '1,000'].map((value) => `Only those who never had one for this situation (${value})`),
  ],
  [
    'the question before reminders',
    (value) => remindersQuestion(value, ['Mia', 'Tom']),
    [
      '2 Personen an 0 Aufgaben erinnern?',
      '2 Personen an 1 Aufgabe erinnern?',
      '2 Personen an 2 Aufgaben erinnern?',
      '2 Personen an 1.000 Aufgaben erinnern?',
    ],
    [
      'Remind 2 people of 0 assignments?',
      'Remind 2 people of 1 assignment?',
      'Remind 2 people of 2 assignments?',
      'Remind 2 people of 1,000 assignments?',
    ],
  ],
  [
    'the button that reminds',
    remindText,
    ['0 Personen erinnern', '1 Person erinnern', '2 Personen erinnern', '1.000 Personen erinnern'],
    ['Remind 0 people', 'Remind 1 person', 'Remind 2 people', 'Remind 1,000 people'],
  ],
  [
    'the mails of reminders',
    (mails) => reminderTexts({ mails, lately: 0, unreachable: 0 }).join(' '),
    [
      'Es wird keine E-Mail gesendet.',
      '1 E-Mail wird gesendet.',
      '2 E-Mails werden gesendet, eine pro Person.',
      '1.000 E-Mails werden gesendet, eine pro Person.',
    ],
    [
      'No email will be sent.',
      '1 email will be sent.',
      '2 emails will be sent, one to each person.',
      '1,000 emails will be sent, one to each person.',
    ],
  ],
  [
    'assignments that are reminded of later',
    (lately) => reminderTexts({ mails: 1, lately, unreachable: 0 })[1],
    [
      undefined,
      'An 1 Aufgabe wurde in den letzten 24 Stunden schon erinnert.',
      'An 2 Aufgaben wurde in den letzten 24 Stunden schon erinnert.',
      'An 1.000 Aufgaben wurde in den letzten 24 Stunden schon erinnert.',
    ],
    [
      undefined,
      '1 assignment had a reminder within the last 24 hours.',
      '2 assignments had a reminder within the last 24 hours.',
      '1,000 assignments had a reminder within the last 24 hours.',
    ],
  ],
  [
    'people who get no reminder',
    (unreachable) => reminderTexts({ mails: 1, lately: 0, unreachable })[1],
    [
      undefined,
      '1 Person ohne E-Mail, weil die Einladung noch nicht angenommen ist.',
      '2 Personen ohne E-Mail, weil die Einladung noch nicht angenommen ist.',
      '1.000 Personen ohne E-Mail, weil die Einladung noch nicht angenommen ist.',
    ],
    [
      undefined,
      '1 person without an email, as the invitation has not been accepted yet.',
      '2 people without an email, as the invitation has not been accepted yet.',
      '1,000 people without an email, as the invitation has not been accepted yet.',
    ],
  ],
  [
    'what has come of reminders',
    (people) => remindedPeopleText({ days: 14, people, practised: people }),
    [
      'In den letzten 14 Tagen erinnert: 0 Personen. Seitdem geübt: 0 von 0.',
      'In den letzten 14 Tagen erinnert: 1 Person. Seitdem geübt: 1 von 1.',
      'In den letzten 14 Tagen erinnert: 2 Personen. Seitdem geübt: 2 von 2.',
      'In den letzten 14 Tagen erinnert: 1.000 Personen. Seitdem geübt: 1.000 von 1.000.',
    ],
    [
      'Reminded in the last 14 days: 0 people. Practised since: 0 of 0.',
      'Reminded in the last 14 days: 1 person. Practised since: 1 of 1.',
      'Reminded in the last 14 days: 2 people. Practised since: 2 of 2.',
      'Reminded in the last 14 days: 1,000 people. Practised since: 1,000 of 1,000.',
    ],
  ],
  [
    // The first day after the due day is one day late.
    'days that an assignment is late',
    (days) => lateText('2026-01-10', new Date(Date.UTC(2026, 0, 10 + days, 13))),
    ['1 Tag überfällig', '1 Tag überfällig', '2 Tage überfällig', '1.000 Tage überfällig'],
    ['1 day overdue', '1 day overdue', '2 days overdue', '1,000 days overdue'],
  ],

  [
    'requests with a key',
    keys.requestsText,
    ['0 Anfragen', '1 Anfrage', '2 Anfragen', '1.000 Anfragen'],
    ['0 requests', '1 request', '2 requests', '1,000 requests'],
  ],
  [
    'the use of a key',
    (requests) => keys.usedText({ requests, errors: requests }),
    [
      'In den letzten 30 Tagen 0 Anfragen, davon 0 mit Fehler',
      'In den letzten 30 Tagen 1 Anfrage, davon 1 mit Fehler',
      'In den letzten 30 Tagen 2 Anfragen, davon 2 mit Fehler',
      'In den letzten 30 Tagen 1.000 Anfragen, davon 1.000 mit Fehler',
    ],
    [
      'In the last 30 days 0 requests, 0 of them with an error',
      'In the last 30 days 1 request, 1 of them with an error',
      'In the last 30 days 2 requests, 2 of them with an error',
      'In the last 30 days 1,000 requests, 1,000 of them with an error',
    ],
  ],
  [
    'the scopes of a key',
    keys.scopesText,
    ['0 Berechtigungen', '1 Berechtigung', '2 Berechtigungen', '1.000 Berechtigungen'],
    ['0 scopes', '1 scope', '2 scopes', '1,000 scopes'],
  ],
  [
    'requests without a route',
    keys.othersText,
    [
      '0 Anfragen, deren Route nicht gespeichert ist',
      '1 Anfrage, deren Route nicht gespeichert ist',
      '2 Anfragen, deren Route nicht gespeichert ist',
      '1.000 Anfragen, deren Route nicht gespeichert ist',
    ],
    [
      '0 requests whose route is not stored',
      '1 request whose route is not stored',
      '2 requests whose route is not stored',
      '1,000 requests whose route is not stored',
    ],
  ],
  [
    'routes that are not listed',
    keys.moreRoutesText,
    ['und 0 weitere Routen', 'und 1 weitere Route', 'und 2 weitere Routen', 'und 1.000 weitere Routen'],
    ['and 0 more routes', 'and 1 more route', 'and 2 more routes', 'and 1,000 more routes'],
  ],

  [
    'recovery codes',
    codesLeftText,
    [
      'Noch 0 Wiederherstellungscodes verfügbar.',
      'Noch 1 Wiederherstellungscode verfügbar.',
      'Noch 2 Wiederherstellungscodes verfügbar.',
      'Noch 1.000 Wiederherstellungscodes verfügbar.',
    ],
    ['0 recovery codes left.', '1 recovery code left.', '2 recovery codes left.', '1,000 recovery codes left.'],
  ],

  [
    'imported deals',
    importedText,
    ['0 Deals übernommen', '1 Deal übernommen', '2 Deals übernommen', '1.000 Deals übernommen'],
    ['0 deals imported', '1 deal imported', '2 deals imported', '1,000 deals imported'],
  ],
  [
    'what is deleted with a connection',
    (value) => deletedText({ deals: value, objections: value }),
    [
      '0 Deals und 0 Einwände werden in der App und in der API gelöscht.',
      '1 Deal und 1 Einwand werden in der App und in der API gelöscht.',
      '2 Deals und 2 Einwände werden in der App und in der API gelöscht.',
      '1.000 Deals und 1.000 Einwände werden in der App und in der API gelöscht.',
    ],
    [
      '0 deals and 0 objections will be deleted from the app and the API.',
      '1 deal and 1 objection will be deleted from the app and the API.',
      '2 deals and 2 objections will be deleted from the app and the API.',
      '1,000 deals and 1,000 objections will be deleted from the app and the API.',
    ],
  ],

  [
    'released items of the catalog',
    (value) => releasedText(value, true),
    ['0 Einträge freigegeben.', '1 Eintrag freigegeben.', '2 Einträge freigegeben.', '1.000 Einträge freigegeben.'],
    ['0 items allowed.', '1 item allowed.', '2 items allowed.', '1,000 items allowed.'],
  ],
  [
    'blocked items of the catalog',
    (value) => releasedText(value, false),
    ['0 Einträge gesperrt.', '1 Eintrag gesperrt.', '2 Einträge gesperrt.', '1.000 Einträge gesperrt.'],
    ['0 items blocked.', '1 item blocked.', '2 items blocked.', '1,000 items blocked.'],
  ],
  [
    'trainings behind a figure',
    trainingsOf,
    ['0 Trainings', '1 Training', '2 Trainings', '1.000 Trainings'],
    ['0 trainings', '1 training', '2 trainings', '1,000 trainings'],
  ],
  [
    'the length of a training in seconds',
    (value) => lengthOf(value * 7),
    ['0:00 min', '0:07 min', '0:14 min', '1:56:40 h'],
    ['0:00 min', '0:07 min', '0:14 min', '1:56:40 h'],
  ],

  [
    'retried deliveries',
    webhooks.retriedText,
    [
      '0 Zustellungen werden jetzt wiederholt.',
      '1 Zustellung wird jetzt wiederholt.',
      '2 Zustellungen werden jetzt wiederholt.',
      '1.000 Zustellungen werden jetzt wiederholt.',
    ],
    [
      '0 deliveries are being retried now.',
      '1 delivery is being retried now.',
      '2 deliveries are being retried now.',
      '1,000 deliveries are being retried now.',
    ],
  ],
  [
    'missed events',
    (missed) => webhooks.missedText({ missed, at_most: 1_000 }),
    [
      'Keine verpassten Ereignisse seit diesem Zeitpunkt.',
      '1 verpasstes Ereignis seit diesem Zeitpunkt.',
      '2 verpasste Ereignisse seit diesem Zeitpunkt.',
      'Mindestens 1.000 verpasste Ereignisse seit diesem Zeitpunkt.',
    ],
    [
      'No missed events since then.',
      '1 missed event since then.',
      '2 missed events since then.',
      'At least 1,000 missed events since then.',
    ],
  ],
  [
    'missed events that are older than the endpoint',
    (older) => webhooks.olderText({ older, at_most: 1_000 }),
    [
      'Auch 0 Ereignisse, die älter als der Endpunkt sind',
      'Auch 1 Ereignis, das älter als der Endpunkt ist',
      'Auch 2 Ereignisse, die älter als der Endpunkt sind',
      'Auch mindestens 1.000 Ereignisse, die älter als der Endpunkt sind',
    ],
    [
      'Also 0 events that are older than the endpoint',
      'Also 1 event that is older than the endpoint',
      'Also 2 events that are older than the endpoint',
      'Also at least 1,000 events that are older than the endpoint',
    ],
  ],
  [
    'recovered events',
    webhooks.recoveredText,
    [
      'Keine verpassten Ereignisse seit diesem Zeitpunkt.',
      '1 Ereignis wird erneut gesendet.',
      '2 Ereignisse werden erneut gesendet.',
      '1.000 Ereignisse werden erneut gesendet.',
    ],
    [
      'No missed events since then.',
      '1 event is being sent again.',
      '2 events are being sent again.',
      '1,000 events are being sent again.',
    ],
  ],

  [
    'overdue assignments of the team',
    overview.overdueText,
    ['Keine überfällig', 'Davon 1 überfällig', 'Davon 2 überfällig', 'Davon 1.000 überfällig'],
    ['None overdue', '1 of them overdue', '2 of them overdue', '1,000 of them overdue'],
  ],
  [
    'pending invitations',
    overview.pendingInvitationsText,
    ['Keine offenen Einladungen', '1 offene Einladung', '2 offene Einladungen', '1.000 offene Einladungen'],
    ['No pending invitations', '1 pending invitation', '2 pending invitations', '1,000 pending invitations'],
  ],
  [
    'a part of all',
    (value) => overview.ofAllText(value, 1_000),
    ['0 von 1.000', '1 von 1.000', '2 von 1.000', '1.000 von 1.000'],
    ['0 of 1,000', '1 of 1,000', '2 of 1,000', '1,000 of 1,000'],
  ],
  [
    'trainings of last week',
    overview.lastWeekText,
    ['0', '1', '2', '1.000'].map((one) => `Diese Woche bisher · ${one} zur selben Zeit der Vorwoche`),
    ['0', '1', '2', '1,000'].map((one) => `This week so far · ${one} by the same time last week`),
  ],
  [
    'mails that failed',
    overview.failedMailsText,
    [
      '0 nicht zugestellte E-Mails',
      '1 nicht zugestellte E-Mail',
      '2 nicht zugestellte E-Mails',
      '1.000 nicht zugestellte E-Mails',
    ],
    ['0 undelivered emails', '1 undelivered email', '2 undelivered emails', '1,000 undelivered emails'],
  ],
  [
    'expired invitations',
    overview.expiredInvitationsText,
    [
      '0 abgelaufene Einladungen',
      '1 abgelaufene Einladung',
      '2 abgelaufene Einladungen',
      '1.000 abgelaufene Einladungen',
    ],
    ['0 expired invitations', '1 expired invitation', '2 expired invitations', '1,000 expired invitations'],
  ],
  [
    'invitations that end soon',
    overview.endingInvitationsText,
    [
      '0 Einladungen laufen bald ab',
      '1 Einladung läuft bald ab',
      '2 Einladungen laufen bald ab',
      '1.000 Einladungen laufen bald ab',
    ],
    [
      '0 invitations expire soon',
      '1 invitation expires soon',
      '2 invitations expire soon',
      '1,000 invitations expire soon',
    ],
  ],
  [
    'overdue assignments that need attention',
    overview.overdueAssignmentsText,
    ['0 überfällige Aufgaben', '1 überfällige Aufgabe', '2 überfällige Aufgaben', '1.000 überfällige Aufgaben'],
    ['0 overdue assignments', '1 overdue assignment', '2 overdue assignments', '1,000 overdue assignments'],
  ],
  [
    'the oldest of them',
    (days) => overview.oldestText('2026-01-10', new Date(Date.UTC(2026, 0, 10 + days, 13))),
    [
      'Die älteste seit 1 Tag.',
      'Die älteste seit 1 Tag.',
      'Die älteste seit 2 Tagen.',
      'Die älteste seit 1.000 Tagen.',
    ],
    [
      'The oldest is 1 day late.',
      'The oldest is 1 day late.',
      'The oldest is 2 days late.',
      'The oldest is 1,000 days late.',
    ],
  ],
  [
    'people who have not practised',
    overview.inactiveText,
    [
      '0 Mitglieder haben seit 14 Tagen nicht geübt',
      '1 Mitglied hat seit 14 Tagen nicht geübt',
      '2 Mitglieder haben seit 14 Tagen nicht geübt',
      '1.000 Mitglieder haben seit 14 Tagen nicht geübt',
    ],
    [
      '0 members have not practised for 14 days',
      '1 member has not practised for 14 days',
      '2 members have not practised for 14 days',
      '1,000 members have not practised for 14 days',
    ],
  ],
  [
    'names, and others',
    (others) => textOf(overview.namesInParts(['Mia', 'Jo'], 2 + others)),
    ['Mia und Jo', 'Mia, Jo und 1 weitere Person', 'Mia, Jo und 2 weitere', 'Mia, Jo und 1.000 weitere'],
    ['Mia and Jo', 'Mia, Jo and 1 other', 'Mia, Jo and 2 others', 'Mia, Jo and 1,000 others'],
  ],
  [
    'names that are not loaded yet',
    (others) => textOf(overview.namesInParts([], others)),
    ['', '', '', ''],
    ['', '', '', ''],
  ],
  [
    'a share of requests',
    (found) => overview.shareText(found, 1_000),
    ['0 %', '0,1 %', '0,2 %', '100 %'],
    ['0%', '0.1%', '0.2%', '100%'],
  ],

  [
    'members without a second factor',
    (value) => settings.lackText(value, 'second_factor'),
    [
      '0 haben weder einen zweiten Faktor noch einen Passkey.',
      '1 hat weder einen zweiten Faktor noch einen Passkey.',
      '2 haben weder einen zweiten Faktor noch einen Passkey.',
      '1.000 haben weder einen zweiten Faktor noch einen Passkey.',
    ],
    [
      '0 have neither a second factor nor a passkey.',
      '1 has neither a second factor nor a passkey.',
      '2 have neither a second factor nor a passkey.',
      '1,000 have neither a second factor nor a passkey.',
    ],
  ],
  [
    'members without the company account',
    (value) => settings.lackText(value, 'company'),
    [
      '0 haben sich noch nie mit dem Firmenkonto angemeldet.',
      '1 hat sich noch nie mit dem Firmenkonto angemeldet.',
      '2 haben sich noch nie mit dem Firmenkonto angemeldet.',
      '1.000 haben sich noch nie mit dem Firmenkonto angemeldet.',
    ],
    [
      '0 have never signed in with the company account.',
      '1 has never signed in with the company account.',
      '2 have never signed in with the company account.',
      '1,000 have never signed in with the company account.',
    ],
  ],
  [
    'those whom a demand shuts out',
    (value) => settings.concernedText(value, 1_200, true),
    [
      'Alle Mitglieder sind bereit.',
      '1 von 1.200 Mitgliedern wird sofort ausgesperrt, bis es eingerichtet ist.',
      '2 von 1.200 Mitgliedern werden sofort ausgesperrt, bis sie es eingerichtet haben.',
      '1.000 von 1.200 Mitgliedern werden sofort ausgesperrt, bis sie es eingerichtet haben.',
    ],
    [
      'All members are ready.',
      '1 of 1,200 members is shut out at once, until they have set it up.',
      '2 of 1,200 members are shut out at once, until they have set it up.',
      '1,000 of 1,200 members are shut out at once, until they have set it up.',
    ],
  ],
  [
    'those of whom a plan demands something',
    (value) => settings.concernedText(value, 1, false),
    [
      'Alle Mitglieder sind bereit.',
      '1 von 1 Mitglied muss es bis dahin einrichten und ist danach ausgesperrt, bis das getan ist.',
      '2 von 1 Mitglied müssen es bis dahin einrichten. Danach sind sie ausgesperrt, bis sie es getan haben.',
      '1.000 von 1 Mitglied müssen es bis dahin einrichten. Danach sind sie ausgesperrt, bis sie es getan haben.',
    ],
    [
      'All members are ready.',
      '1 of 1 member has to set it up by then. After that they are shut out until they do.',
      '2 of 1 member have to set it up by then. After that they are shut out until they do.',
      '1,000 of 1 member have to set it up by then. After that they are shut out until they do.',
    ],
  ],
  [
    'mails about a demand',
    (value) => settings.mailedText(value, 2_000),
    [
      undefined,
      'Diese Person erhält eine E-Mail mit der Anleitung: jetzt, oder morgen, wenn sie heute schon eine erhalten hat.',
      'Sie erhalten eine E-Mail mit der Anleitung: jetzt, oder morgen, wenn sie heute schon eine erhalten haben.',
      'Sie erhalten eine E-Mail mit der Anleitung: jetzt, oder morgen, wenn sie heute schon eine erhalten haben.',
    ],
    [
      undefined,
      'This person gets an email that says how: now, or tomorrow if they got one today already.',
      'They get an email that says how: now, or tomorrow if they got one today already.',
      'They get an email that says how: now, or tomorrow if they got one today already.',
    ],
  ],
  [
    'mails about a demand, as many as the day still allows',
    (value) => settings.mailedText(2_000, value),
    [
      'Die E-Mail mit der Anleitung folgt an den nächsten Tagen: Heute sind keine E-Mails mehr möglich.',
      '1 Person davon erhält heute eine E-Mail mit der Anleitung, die übrigen an den folgenden Tagen: Mehr E-Mails sind heute nicht möglich.',
      '2 von ihnen erhalten heute eine E-Mail mit der Anleitung, die übrigen an den folgenden Tagen: Mehr E-Mails sind heute nicht möglich.',
      '1.000 von ihnen erhalten heute eine E-Mail mit der Anleitung, die übrigen an den folgenden Tagen: Mehr E-Mails sind heute nicht möglich.',
    ],
    [
      'The email that says how follows on the next days: no more emails are possible today.',
      '1 of them gets an email today that says how, the others on the following days: no more emails are possible today.',
      '2 of them get an email today that says how, the others on the following days: no more emails are possible today.',
      '1,000 of them get an email today that says how, the others on the following days: no more emails are possible today.',
    ],
  ],
  [
    'confirmed domains',
    settings.confirmedDomainsText,
    ['0 bestätigte Domains', '1 bestätigte Domain', '2 bestätigte Domains', '1.000 bestätigte Domains'],
    ['0 confirmed domains', '1 confirmed domain', '2 confirmed domains', '1,000 confirmed domains'],
  ],
  [
    'people of a directory',
    (value) => settings.knownPeopleText({ active: 0, invited: value, deactivated: 0 }),
    ['0 Personen', '1 Person', '2 Personen', '1.000 Personen'],
    ['0 people', '1 person', '2 people', '1,000 people'],
  ],
  [
    'the people of a team',
    (value) => settings.rolesText({ admin: value, member: value }),
    [
      '1 Inhaber, 0 Admins, 0 Mitglieder, einschließlich offener Einladungen.',
      '1 Inhaber, 1 Admin, 1 Mitglied, einschließlich offener Einladungen.',
      '1 Inhaber, 2 Admins, 2 Mitglieder, einschließlich offener Einladungen.',
      '1 Inhaber, 1.000 Admins, 1.000 Mitglieder, einschließlich offener Einladungen.',
    ],
    [
      '1 owner, 0 admins, 0 members, including pending invitations.',
      '1 owner, 1 admin, 1 member, including pending invitations.',
      '1 owner, 2 admins, 2 members, including pending invitations.',
      '1 owner, 1,000 admins, 1,000 members, including pending invitations.',
    ],
  ],
  [
    'requests per minute',
    settings.perMinuteText,
    ['0 Anfragen pro Minute', '1 Anfrage pro Minute', '2 Anfragen pro Minute', '1.000 Anfragen pro Minute'],
    ['0 requests per minute', '1 request per minute', '2 requests per minute', '1,000 requests per minute'],
  ],
  [
    'invitations that are left',
    (left) => settings.leftThisHourText({ left, limit: 1_000 }),
    ['0', '1', '2', '1.000'].map((one) => `${one} von 1.000 übrig in dieser Stunde`),
    ['0', '1', '2', '1,000'].map((one) => `${one} of 1,000 left this hour`),
  ],
  [
    'the flaws that are not listed',
    (more) => moreFlawsText({ errors: [{ path: [], code: 'custom', message: '' }], errors_total: 1 + more }),
    [undefined, 'und 1 weiteres Feld', 'und 2 weitere Felder', 'und 1.000 weitere Felder'],
    [undefined, 'and 1 more field', 'and 2 more fields', 'and 1,000 more fields'],
  ],
  [
    'the probability of a deal',
    (value) => probabilityText(value),
    ['0', '1', '2', '1.000'].map((one) => `Wahrscheinlichkeit ${one} %`),
    ['0', '1', '2', '1,000'].map((one) => `Probability ${one}%`),
  ],
  [
    'a size',
    (value) => settings.sizeText(value * 1.5 * 1024 ** 2),
    ['0 MiB', '1,5 MiB', '3 MiB', '1,5 GiB'],
    ['0 MiB', '1.5 MiB', '3 MiB', '1.5 GiB'],
  ],
];

describe('for 0, 1, 2 and 1,000', () => {
  it.each(rows)('%s', (_name, text, de, en) => {
    expect(said(text, [0, 1, 2, 1_000])).toEqual({ de, en });
  });
});

it('all flaws of a problem are listed if their number is not stored', () => {
  expect([moreFlawsText({}), moreFlawsText({ errors: [{ path: [], code: 'custom', message: '' }] })]).toEqual([
    undefined,
    undefined,
  ]);
});

describe('a figure', () => {
  it('of a list of names has the first five and the number of the others', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect([5, 6, 7].map((length) => namesInBrief(names.slice(0, length)))).toEqual([
      'a, b, c, d, e',
      'a, b, c, d, e, f',
      'a, b, c, d, e und 2 weitere',
    ]);
  });

  it('of rows that can’t come back has to be typed from two on, and is asked about again from eleven on', () => {
    const names = Array.from({ length: 11 }, (_, at) => String(at));
    expect(forGood(['Mia'], 'Really?')).toEqual({ of: 'Mia', again: undefined });
    expect(forGood(['Mia', 'Jo'], 'Really?')).toEqual({ of: 'Mia, Jo', typed: '2', again: undefined });
    expect(forGood(names.slice(1), 'Really?').again).toBeUndefined();
    expect(forGood(names, 'Really?')).toEqual({ of: '0, 1, 2, 3, 4 und 6 weitere', typed: '11', again: 'Really?' });
  });

  it.each([
    [0, 'plain', '0,0', '0.0'],
    [1.9, 'plain', '+1,9', '+1.9'],
    [2, 'good', '+2,0', '+2.0'],
    [-1.9, 'plain', '−1,9', '−1.9'],
    [-2, 'warn', '−2,0', '−2.0'],
  ])('of a change of %s is %s: %s, %s', (value, tone, de, en) => {
    expect([toneOfChange(value), changeText(value)]).toEqual([tone, de]);
    setCurrentLanguage('en');
    expect(changeText(value)).toBe(en);
  });

  it('of a score has a decimal, and the time before is that of its range', () => {
    expect([decimal(62), decimal(62.5), timeBefore('6_months')]).toEqual(['62,0', '62,5', 'den 6 Monaten davor']);
    setCurrentLanguage('en');
    expect([decimal(62), decimal(62.5), timeBefore('12_weeks'), timeBefore('12_months')]).toEqual([
      '62.0',
      '62.5',
      'the 12 weeks before',
      'the 12 months before',
    ]);
  });

  it.each([
    [10, 9, 60, 1, { seats: 1, isShort: false, later: 0 }],
    [10, 10, 60, 1, { seats: 0, isShort: true, later: 0 }],
    [10, 12, 60, 1, { seats: 0, isShort: true, later: 0 }],
    [100, 10, 5, 5, { seats: 90, isShort: false, later: 0 }],
    [100, 10, 5, 7, { seats: 90, isShort: false, later: 2 }],
    // Those without a seat don't wait.
    [12, 10, 1, 7, { seats: 2, isShort: true, later: 1 }],
  ])('of %i seats, %i taken, %i invitations left: room for %i people is %j', (total, taken, left, wanted, room) => {
    expect(members.roomFor(wanted, { total, taken }, { left, limit: 60 })).toEqual(room);
  });

  it.each([
    [0, 0, 2, 'No invitations were sent. 2 people were not invited.', 2],
    [0, 0, 1, 'No invitations were sent. 1 person was not invited.', 1],
    [1, 0, 1, '1 invitation sent.', 0],
    [1, 2, 3, '1 invitation sent. 2 invitations will be sent later.', 0],
    [0, 1, 3, '1 invitation will be sent later. 2 people were not invited.', 2],
    [2, 0, 1_002, '2 invitations sent. 1,000 people were not invited.', 1_000],
  ])('of a list with %i invited and %i waiting of %i people: %s', (invited, waiting, all, text, left) => {
    setCurrentLanguage('en');
    expect(members.outcomesText({ invited, waiting, all })).toBe(text);
    expect(members.notInvited({ invited, waiting, all })).toBe(left);
  });

  it.each([
    [0, 'Keine werden eingeladen', 'None will be invited'],
    [1, '1 wird eingeladen', '1 will be invited'],
    [2, '2 werden eingeladen', '2 will be invited'],
  ])('of a review with %i people: %s, %s', (wanted, de, en) => {
    const none = { wanted, mistakes: 0, present: 0, twice: 0, further: 0 };
    expect(members.reviewTexts(none)).toEqual([de]);
    setCurrentLanguage('en');
    expect(members.reviewTexts({ wanted, mistakes: 1, present: 2, twice: 1, further: 3 })).toEqual([
      en,
      '1 to fix',
      '2 already in the team or invited',
      '1 duplicate',
      '3 too many',
    ]);
  });

  it('of what people have together is the sum of the parts, and none while a part is hidden', () => {
    const part = { open_assignments: 1, assignments: 2, trainings: 3 };
    expect(members.heldTogether([part, part])).toEqual({ open_assignments: 2, assignments: 4, trainings: 6 });
    expect(members.heldTogether([part, null])).toBeNull();
    expect(members.heldTogether([])).toEqual({ open_assignments: 0, assignments: 0, trainings: 0 });
  });

  it.each([
    [['member', 'member'], []],
    [['member', 'owner'], ['1 of 2 selected: without the owner.']],
    [['admin', 'member'], ['The last active admin stays an admin of the team.']],
    [
      ['admin', 'owner', 'member'],
      ['2 of 3 selected: without the owner.', 'The last active admin stays an admin of the team.'],
    ],
  ] as const)('of those whom an action leaves out is about the selected ones alone: %j', (roles, texts) => {
    setCurrentLanguage('en');
    const chosen = roles.map((role) => ({ role }));
    const changeable = chosen.filter(({ role }) => role !== 'owner').length;
    expect(members.leftOutTexts({ chosen, changeable })).toEqual(texts);
  });

  it('of requests has the last seven days and the seven before, and all that were not answered well', () => {
    const days = Array.from({ length: 14 }, (_, at) => ({ requests: at, refused: 1, limited: 10, failed: 100 }));
    const found = overview.requestsOf(days);
    expect(found).toEqual({ week: 70, before: 21, refused: 777 });
    expect(overview.requestsText(found)).toBe('21 in den 7 Tagen davor · 777 abgelehnt oder fehlgeschlagen');
    expect(overview.requestsText({ ...found, refused: 0 })).toBe('21 in den 7 Tagen davor · keine abgelehnt');
  });

  it.each([
    [0, 0, 'None paused'],
    [1, 0, '1 paused'],
    [0, 2, '2 disabled'],
    [1_000, 2, '1,000 paused, 2 disabled'],
  ])('of %i paused and %i disabled endpoints: %s', (paused, disabled, text) => {
    setCurrentLanguage('en');
    expect(overview.idleText({ paused, disabled })).toBe(text);
  });

  it('of the weakest area is the lowest, without those that have none', () => {
    const areas = [
      { dimension: 'closing', value: 62.5 },
      { dimension: 'needs_analysis', value: null },
      { dimension: 'value_argument', value: 9.5 },
    ];
    expect(overview.weakestOf(areas)).toEqual({ dimension: 'value_argument', value: 9.5 });
    expect(overview.weakestOf([{ dimension: 'closing', value: null }])).toBeUndefined();
  });

  it('of the members who are not ready is that of the demand', () => {
    const readiness = { members: 9, second_factor: 4, company: 7 };
    expect([settings.unreadyOf(readiness, 'second_factor'), settings.unreadyOf(readiness, 'company')]).toEqual([5, 2]);
    expect([settings.readyText(readiness, 'second_factor'), settings.readyText(readiness, 'company')]).toEqual([
      '4 von 9 bereit',
      '7 von 9 bereit',
    ]);
    // As many mails as are left are enough.
    setCurrentLanguage('en');
    expect([settings.mailedText(2, 2), settings.mailedText(3, 2)]).toEqual([
      'They get an email that says how: now, or tomorrow if they got one today already.',
      '2 of them get an email today that says how, the others on the following days: no more emails are possible today.',
    ]);
  });

  it('of recovery codes warns from three on', () => {
    expect([0, 3, 4].map(areFew)).toEqual([true, true, false]);
  });

  it('of a key’s use is the sum of its days', () => {
    const days = [
      { requests: 3, errors: 1 },
      { requests: 5, errors: 0 },
    ];
    expect(keys.usedIn(days)).toEqual({ requests: 8, errors: 1 });
  });

  it.each([
    [[], { delivered: 0, failed: 0 }, 'Nothing sent'],
    [[{ delivered: 1, failed: 0 }], { delivered: 1, failed: 0 }, '100% delivered'],
    [[{ delivered: 0, failed: 2 }], { delivered: 0, failed: 2 }, '0% delivered'],
    [
      [
        { delivered: 1, failed: 1 },
        { delivered: 1, failed: 0 },
      ],
      { delivered: 2, failed: 1 },
      '66.7% delivered',
    ],
  ])('of attempts: %j is %j: %s', (days, sum, text) => {
    setCurrentLanguage('en');
    expect(webhooks.attemptsIn(days)).toEqual(sum);
    expect(webhooks.deliveredText(sum)).toBe(text);
    expect(webhooks.attemptsText({ delivered: 1_000, failed: 2 })).toBe(
      'Attempts of the last 30 days: 1,000 delivered, 2 failed',
    );
  });

  const [none, failed, ok] = [[], [{ status: 'failed' }], [{ status: 'failed' }, { status: 'ok' }]] as const;
  it.each([
    [[], 'The team has no endpoint.'],
    [[none], 'Not sent to any endpoint. The reason is shown for each endpoint.'],
    [[failed], 'Sent to 1 endpoint, delivered to 0.'],
    [[ok, none], 'Sent to 1 endpoint, delivered to 1.'],
    [[ok, failed], 'Sent to 2 endpoints, delivered to 1.'],
  ])('of the endpoints that an event reached, %#: %s', (deliveries, text) => {
    setCurrentLanguage('en');
    expect(webhooks.reachText(deliveries.map((one) => ({ deliveries: [...one] })))).toBe(text);
  });

  it.each([
    [
      [1, 2, null],
      ['1', '2', '–'],
      ['1', '2', '–'],
    ],
    [
      [1, 2.5, null],
      ['1,0', '2,5', '–'],
      ['1.0', '2.5', '–'],
    ],
    [[1_000.04], ['1.000,0'], ['1,000.0']],
  ])('of a column, %j, has as many decimals as the others', (values, de, en) => {
    const texts = () => values.map(alike(values));
    expect(texts()).toEqual(de);
    setCurrentLanguage('en');
    expect(texts()).toEqual(en);
  });

  it.each([
    [0, '0 Sekunden', '0 seconds'],
    [1, '1 Sekunde', '1 second'],
    [90, '90 Sekunden', '90 seconds'],
    [120, '2 Minuten', '2 minutes'],
    [3_600, '1 Stunde', '1 hour'],
    [86_400, '1 Tag', '1 day'],
    [14 * 86_400, '14 Tage', '14 days'],
  ])('of a duration of %i seconds: %s, %s', (seconds, de, en) => {
    expect(durationInWords(seconds)).toBe(de);
    setCurrentLanguage('en');
    expect(durationInWords(seconds)).toBe(en);
  });

  it.each([
    [0, '0 ms', '0 ms'],
    [0.2, '1 ms', '1 ms'],
    [999, '999 ms', '999 ms'],
    [999.4, '1,0 s', '1.0 s'],
    [1_249, '1,2 s', '1.2 s'],
    [59_949, '59,9 s', '59.9 s'],
    [59_951, '1:00 min', '1:00 min'],
    [125_000, '2:05 min', '2:05 min'],
    [60_000_000, '1.000:00 min', '1,000:00 min'],
  ])('of %s milliseconds: %s, %s', (took, de, en) => {
    expect(milliseconds(took)).toBe(de);
    setCurrentLanguage('en');
    expect(milliseconds(took)).toBe(en);
  });

  it.each([
    [0.4, 'in 1 Sekunde', 'in 1 second'],
    [2, 'in 2 Sekunden', 'in 2 seconds'],
    [99, 'in 99 Sekunden', 'in 99 seconds'],
    [100, 'in 2 Minuten', 'in 2 minutes'],
    [3_601, 'in 61 Minuten', 'in 61 minutes'],
  ])('of %s seconds to wait: %s, %s', (seconds, de, en) => {
    expect(waitInWords(seconds)).toBe(de);
    setCurrentLanguage('en');
    expect(waitInWords(seconds)).toBe(en);
  });
});

it.each([
  [{ automatic: true, by: null }, 'automatisch', 'automatically'],
  [{ automatic: false, by: null }, 'von einer gelöschten Person', 'by an erased person'],
  [{ automatic: false, by: 'Mia' }, 'von Mia', 'by Mia'],
])('who has sent a reminder: %j', (last, de, en) => {
  for (const [language, text] of [
    ['de', de],
    ['en', en],
  ] as const) {
    setCurrentLanguage(language);
    expect(remindedBy(last)).toBe(text);
  }
});
