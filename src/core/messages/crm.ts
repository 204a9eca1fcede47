import type { z } from 'zod';
import { crmLimits } from '../limits.ts';
import { fieldMessages, messageOfIssue } from './fields.ts';
import { forDevelopers, type Message } from '../language.ts';

/** Messages for people who manage CRM connections in the app. */
export const connectionMessages = {
  notFound: { de: 'Die Verbindung existiert nicht.', en: 'The connection does not exist.' },
  max: {
    de: `Ein Team hat höchstens ${crmLimits.connectionsPerTeam} CRM-Verbindungen.`,
    en: `A team has at most ${crmLimits.connectionsPerTeam} CRM connections.`,
  },
  feedConnected: {
    de: 'Ihr Team ist bereits mit diesem Feed verbunden.',
    en: 'Your team is already connected to this feed.',
  },
  token: {
    de: 'Ein Zugriffstoken besteht nur aus sichtbaren ASCII-Zeichen, ohne Leerzeichen.',
    en: 'An access token has visible ASCII characters only, and no spaces.',
  },
  feedNeedsUrl: { de: 'Geben Sie die Adresse des Feeds an.', en: 'A feed needs its address.' },
  onlyFeedHasUrl: { de: 'Nur ein Feed hat eine URL.', en: 'Only a feed has a URL.' },
  oneSourceOfObjections: {
    de: 'Einwände können aus einer Eigenschaft oder aus Notizen stammen, nicht aus beidem.',
    en: 'Objections can come from a property or from notes, not from both.',
  },
} as const;

/** Why a sync failed or was stopped. */
export const syncMessages = {
  paused: { de: 'Die Verbindung wurde pausiert.', en: 'The connection was paused.' },
  settingsChanged: { de: 'Die Einstellungen wurden geändert.', en: 'The settings were changed.' },
  disconnected: { de: 'Die Verbindung wurde getrennt.', en: 'The connection was disconnected.' },
  noApi: {
    de: 'Das Team ist gesperrt oder beendet, oder sein Tarif enthält keine API.',
    en: 'The team is suspended or ended, or its plan has no API.',
  },
  noToken: {
    de: 'Für die Verbindung ist kein Zugriffstoken hinterlegt. Geben Sie eines ein.',
    en: 'The connection has no access token. Enter one.',
  },
  noUrl: { de: 'Die Verbindung hat keine Feed-Adresse.', en: 'The connection has no address of a feed.' },
  unknownProvider: (name: string) => ({
    de: `Der Dienst hat keine Anbindung an ${name}.`,
    en: `The service has no connection to ${name}.`,
  }),
  tokenRefused: (status: number) => ({
    de: `Das CRM hat das Zugriffstoken abgelehnt (${status}). Geben Sie ein neues ein.`,
    en: `The CRM refused the access token (${status}). Enter a new one.`,
  }),
  scopeMissing: (path: string, scope: string) => ({
    de: `HubSpot lehnte ${path} ab: Dem Token fehlt der Scope ${scope}.`,
    en: `HubSpot refused ${path}: the token needs the scope ${scope}.`,
  }),
  status: (status: number) => ({
    de: `Das CRM antwortete mit dem Status ${status}.`,
    en: `The CRM answered with status ${status}.`,
  }),
  redirect: (status: number) => ({
    de: `Das CRM antwortete mit einer Weiterleitung (${status}). Weiterleitungen werden nicht unterstützt. Geben Sie die Zieladresse ein.`,
    en: `The CRM answered with status ${status}: a redirect, which is not followed. Enter the address that it leads to.`,
  }),
  stillStatus: (status: number, waits: number) => ({
    de: `Das CRM antwortete auch nach mehreren Wartezeiten mit dem Status ${status}.`,
    en: `The CRM answered with status ${status} again, after ${waits} waits.`,
  }),
  notJson: {
    de: 'Die Antwort des CRM ist kein gültiges JSON.',
    en: 'The CRM’s answer is not valid JSON.',
  },
  tooDeep: (max: number) => ({
    de: `Die Antwort ist tiefer als ${max} Ebenen verschachtelt.`,
    en: `The answer has more than ${max} levels of objects and lists.`,
  }),
  tooManyValues: (max: number) => ({
    de: 'Die Antwort enthält zu viele Werte. Verkleinern Sie die Seiten.',
    en: `The answer has more than ${max.toLocaleString('en')} values. Make the pages smaller.`,
  }),
  tooManyPages: (max: number) => ({
    de: `Das CRM lieferte mehr als ${max} Seiten.`,
    en: `The CRM has more than ${max} pages.`,
  }),
  tooManyRows: (max: number) => ({
    de: `Das CRM hat mehr als ${max.toLocaleString('de')} Deals oder Einwände.`,
    en: `The CRM has more than ${max.toLocaleString('en')} deals or objections.`,
  }),
  cursorRepeats: {
    de: 'next_cursor: Der Wert kam schon auf einer früheren Seite vor, daher gibt es kein Ende.',
    en: 'next_cursor: It repeats one of an earlier page, so there is no end.',
  },
  listDoesNotEnd: (place: string) => ({
    de: `${place}: Die Liste endet nicht.`,
    en: `${place}: The list does not end.`,
  }),
  idNotAbove: (place: string, id: string) => ({
    de: `${place}: Der Wert muss größer als ${id} sein.`,
    en: `${place}: It must be above ${id}.`,
  }),
  positionUnreadable: {
    de: 'Die Stelle, an der der letzte Abgleich aufhörte, ist nicht lesbar. Der nächste beginnt von vorn.',
    en: 'The place where the last run stopped can’t be read. The next run begins anew.',
  },
  longerThanADay: {
    de: 'Der Abgleich dauerte länger als einen Tag.',
    en: 'The sync took longer than a day.',
  },
  failedThreeTimes: {
    de: 'Eine Seite des CRM konnte dreimal nicht verarbeitet werden. Verkleinern Sie die Seiten.',
    en: 'The service failed three times at one page of the CRM. Make the pages smaller.',
  },
  unexpected: {
    de: 'Die Daten des CRM konnten nicht verarbeitet werden. Wenden Sie sich an den Support, falls das wieder vorkommt.',
    en: 'The service could not process the CRM’s data. If this happens again, contact support.',
  },
  noHubSpotProperty: (name: string) => ({
    de: `HubSpot hat keine Deal-Eigenschaft mit dem internen Namen ${name}.`,
    en: `HubSpot has no property of deals with the internal name ${name}.`,
  }),
  noPipedriveField: (name: string) => ({
    de: `Pipedrive hat kein Deal-Feld mit dem Schlüssel oder Namen ${name}.`,
    en: `Pipedrive has no field of deals with the key or name ${name}.`,
  }),
  notAFeed: {
    de: 'Die Antwort des Feeds muss ein Objekt mit einer Liste „deals“ sein.',
    en: 'The feed’s answer must be an object with a list of deals.',
  },
} as const;

/** Messages about wrong values in a CRM's answer. The schemas of answers give Zod the key as the message of an issue. */
export const valueMessages = {
  id: { de: 'Der Wert muss eine ID sein.', en: 'It must be an id.' },
  text: { de: 'Der Wert muss ein Text sein.', en: 'It must be a text.' },
  textOrNull: { de: 'Der Wert muss ein Text oder null sein.', en: 'It must be a text or null.' },
  list: { de: 'Der Wert muss eine Liste sein.', en: 'It must be a list.' },
  flag: { de: 'Der Wert muss true oder false sein.', en: 'It must be true or false.' },
  number: { de: 'Der Wert muss eine Zahl sein.', en: 'It must be a number.' },
  decimal: {
    de: 'Der Wert muss eine Dezimalzahl sein, als Zahl oder als Text, etwa "18400.50".',
    en: 'It must be a decimal number or the text of one, like "18400.50".',
  },
  percentage: { de: 'Der Wert muss eine Zahl von 0 bis 100 sein.', en: 'It must be a number from 0 to 100.' },
  outcome: { de: 'Der Wert muss open, won oder lost sein.', en: 'It must be open, won or lost.' },
  outcomeOrDeleted: {
    de: 'Der Wert muss open, won, lost oder deleted sein.',
    en: 'It must be open, won, lost or deleted.',
  },
  currency: {
    de: 'Der Wert muss eine Währung nach ISO 4217 sein, etwa EUR.',
    en: 'It must be a currency of ISO 4217, like EUR.',
  },
  day: { de: 'Der Wert muss ein Tag sein, etwa 2026-12-15.', en: 'It must be a day like 2026-12-15.' },
  time: {
    de: 'Der Wert muss ein Zeitpunkt sein, etwa 2026-11-20T09:30:00Z.',
    en: 'It must be a time like 2026-11-20T09:30:00Z.',
  },
  yearZero: { de: 'Das Jahr 0 gibt es nicht.', en: 'There is no year 0.' },
  empty: { de: 'Der Wert darf nicht leer sein.', en: 'It must not be empty.' },
  controls: { de: 'Der Wert darf keine Steuerzeichen enthalten.', en: 'It must not contain control characters.' },
  unstorable: {
    de: 'Der Wert darf weder NUL noch ein halbes Surrogatpaar enthalten.',
    en: 'It must not contain NUL or half of a surrogate pair.',
  },
} as const satisfies Record<string, Message>;

const tooLong = (max: number): Message => ({
  de: `Der Wert darf höchstens ${max} Zeichen haben.`,
  en: `It must have at most ${max} characters.`,
});

type ValueFlaw = keyof typeof valueMessages;

const isValueFlaw = (text: string): text is ValueFlaw => Object.hasOwn(valueMessages, text);

/** The key of a message, in the form of an issue of Zod. */
export const wrong = (key: ValueFlaw): ValueFlaw => key;

const aboutValue = (issue: z.core.$ZodIssue): Message => {
  if (issue.code === 'too_big') return tooLong(Number(issue.maximum));
  return isValueFlaw(issue.message) ? valueMessages[issue.message] : messageOfIssue(issue);
};

/** The flaw of a value, with its place in a CRM's answer. */
export const flawAt = (place: string, issue: z.core.$ZodIssue | undefined): Message => {
  const flaw = issue ? aboutValue(issue) : fieldMessages.invalid;
  return { de: `${place}: ${flaw.de}`, en: `${place}: ${forDevelopers(flaw)}` };
};
