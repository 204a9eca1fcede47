import { expect, it } from 'vitest';
import { untilDeletedText } from '../../src/web/layout/gate.ts';
import { whatNext } from '../../src/web/layout/old-answers.ts';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import { unknownSessionText } from '../../src/web/pages/account/figures.ts';
import { recipientsFlaw } from '../../src/web/pages/assignments/recipients.ts';
import { afterSharing } from '../../src/web/pages/cases/sharing-words.ts';
import { tokenNeeded, tokenTexts } from '../../src/web/pages/crm/connection-state.ts';
import { codeLead } from '../../src/web/pages/entrance/second-step-words.ts';
import { noRoutesText } from '../../src/web/pages/keys/figures.ts';
import { foundAdvice } from '../../src/web/pages/keys/key-state.ts';
import { roleEffect, roleTexts } from '../../src/web/pages/members/figures.ts';
import { noAnswerText } from '../../src/web/pages/webhooks/delivery-words.ts';
import { stateNow } from '../../src/web/pages/webhooks/reach-words.ts';
import { otherEndpointTexts } from '../../src/web/pages/webhooks/renewal-words.ts';
import { closedText, closingTexts } from '../../src/web/session/closing-words.ts';
import { browserRefusal } from '../../src/web/session/passkey-site.ts';

// Places that say one thing or another: which of them, by what is the case.

const none = 'nothing';

it.each<[what: string, say: () => string | false | undefined, de: string, en: string]>([
  [
    'a team that will demand the company account',
    () => closingTexts('company').title,
    'Firmenkonto',
    'company account',
  ],
  ['from when on it does', () => closingTexts('company').rest, 'nur noch mit dem Firmenkonto', 'company account'],
  [
    'a team that will demand a second factor',
    () => closingTexts('second_factor').title,
    'zweiten Faktor',
    'second factor',
  ],
  ['from when on it does', () => closingTexts('second_factor').rest, 'oder einem Passkey', 'or a passkey'],
  ['a team that demands the company account', () => closedText('Nord', 'company'), '„Nord“ verlangt das F', 'the com'],
  ['a team that demands a second factor', () => closedText('Nord', 'second_factor'), '„Nord“ verlangt die Z', 'two-'],
  ['a team that has ended, to the owner', () => untilDeletedText(() => true), 'können Sie die Daten', 'you can export'],
  ['a team that has ended, to others', () => untilDeletedText(() => false), 'Der Inhaber kann', 'The owner can'],
  [
    'a connection without a token',
    () => tokenNeeded({ has_token: false, status: 'credentials_refused' })?.title,
    'Das Zugriffstoken fehlt',
    'The access token is missing',
  ],
  [
    'when it syncs',
    () => tokenNeeded({ has_token: false, status: 'active' })?.what,
    'Der Abgleich startet, sobald',
    'Syncing starts once',
  ],
  [
    'a connection whose token was refused',
    () => tokenNeeded({ has_token: true, status: 'credentials_refused' })?.title,
    'abgelehnt',
    'rejected',
  ],
  [
    'when it syncs again',
    () => tokenNeeded({ has_token: true, status: 'credentials_refused' })?.what,
    'ist angehalten, bis',
    'are on hold until',
  ],
  ['a paused connection', () => tokenNeeded({ has_token: true, status: 'paused' })?.title, none, none],
  ['an active connection', () => tokenNeeded({ has_token: true, status: 'active' })?.title, none, none],
  ['a stored token', () => tokenTexts(true).what, 'verschlüsselt gespeichert', 'stored encrypted'],
  ['how to replace it', () => tokenTexts(true).action, 'Token erneuern', 'Renew token'],
  ['no stored token', () => tokenTexts(false).what, 'kein Token gespeichert', 'No token is stored'],
  ['how to give one', () => tokenTexts(false).action, 'Token eingeben', 'Enter token'],
  ['an answer that is hidden', () => noAnswerText(true), 'ausgeblendet', 'are hidden'],
  ['an answer that was not stored', () => noAnswerText(false), 'Speicherlimit', 'storage limit'],
  [
    'an endpoint that got an event and is disabled now',
    () => stateNow({ state: 'asked', status: 'disabled' }),
    'deaktiviert',
    'disabled',
  ],
  [
    'an endpoint that got an event and is paused now',
    () => stateNow({ state: 'asked', status: 'disabled_failures' }),
    'pausiert',
    'paused',
  ],
  ['an endpoint that got an event', () => stateNow({ state: 'asked', status: 'active' }), none, none],
  // Why it did not get the event says so already.
  ['a disabled endpoint', () => stateNow({ state: 'disabled', status: 'disabled' }), none, none],
  [
    'a key without uses',
    () => noRoutesText({ others: 0, days: 30 }),
    'Keine Anfragen in den letzten 30',
    'last 30 days',
  ],
  ['a key whose routes are not known', () => noRoutesText({ others: 1, days: 30 }), 'Noch keine Routen', 'No routes'],
  ['a key that was found', () => foundAdvice({ rotated_to_id: null }), 'oder rotieren Sie ihn', 'or rotate it'],
  ['one that is being replaced', () => foundAdvice({ rotated_to_id: 'next' }), 'den neuen Schlüssel', 'the new key'],
  ['an assignment for nobody', () => recipientsFlaw([], []), 'mindestens einen Empfänger', 'at least one recipient'],
  ['an assignment that all have', () => recipientsFlaw(['mia'], []), 'haben diese Aufgabe bereits', 'already have'],
  ['an assignment for some', () => recipientsFlaw(['mia', 'ben'], ['ben']), none, none],
  ['a server that is lost', () => whatNext(true), 'Verbindung wird automatisch', 'Reconnecting'],
  ['an answer that could not be loaded again', () => whatNext(false), 'nicht neu geladen', 'could not be reloaded'],
  ['a session, with a password', () => unknownSessionText(false), 'ändern Sie Ihr Passwort', 'change your password'],
  ['a session, with the company account', () => unknownSessionText(true), 'Beenden Sie sie.', 'Sign it out.'],
  ['a shared case, to who sees all', () => afterSharing(true), 'erscheint unter „Team“', 'appears under “Team”'],
  ['a shared case, to others', () => afterSharing(false), 'danach nicht mehr', 'no longer see it'],
  ['a code from the app', () => codeLead('totp'), 'Authenticator-App', 'authenticator app'],
  ['a code of recovery', () => codeLead('backup'), 'Wiederherstellungscodes', 'recovery codes'],
  [
    'the question for an admin',
    () => roleTexts('Mia', 'admin').question,
    'Mia zum Admin machen?',
    'Make Mia an admin?',
  ],
  ['the button for an admin', () => roleTexts('Mia', 'admin').action, 'Zum Admin machen', 'Make an admin'],
  ['a new admin', () => roleTexts('Mia', 'admin').done, 'Mia ist jetzt Admin.', 'Mia is now an admin.'],
  ['the question for a member', () => roleTexts('Mia', 'member').question, 'Mia zum Mitglied', 'Make Mia a member?'],
  ['the button for a member', () => roleTexts('Mia', 'member').action, 'Zum Mitglied machen', 'Make a member'],
  ['a former admin', () => roleTexts('Mia', 'member').done, 'Mia ist jetzt Mitglied.', 'Mia is now a member.'],
  ['what admins may', () => roleEffect('admin'), 'Admins verwalten', 'Admins manage'],
  ['what members lose', () => roleEffect('member'), 'endet sofort', 'ends immediately'],
  ['the first endpoint of a renewal', () => otherEndpointTexts('first').what, 'dem neuen', 'with the new secret'],
  ['its link', () => otherEndpointTexts('first').link, 'Zum zweiten', 'second endpoint'],
  [
    'the second endpoint of a renewal',
    () => otherEndpointTexts('second').what,
    'dem bisherigen',
    'with the old secret',
  ],
  ['its link', () => otherEndpointTexts('second').link, 'Zum ersten', 'first endpoint'],
  ['a passkey that is there already', () => browserRefusal(true), 'schon einen Passkey', 'already has a passkey'],
  ['a passkey at another address', () => browserRefusal(false), 'üblichen Adresse', 'usual address'],
])('%s', (_, say, de, en) => {
  setCurrentLanguage('de');
  const german = say() || none;
  setCurrentLanguage('en');
  expect([german, say() || none]).toEqual([expect.stringContaining(de), expect.stringContaining(en)]);
});
