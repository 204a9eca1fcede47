import type { z } from 'zod';
import { isRecord } from '../json.ts';
import type { Message } from '../language.ts';

/** Messages about wrong values of a request. */
export const fieldMessages = {
  unknown: { de: 'Dieses Feld ist nicht bekannt.', en: 'This field is not known.', api: 'Unknown key' },
  invalid: { de: 'Der Wert ist ungültig.', en: 'The value is invalid.' },
  missing: { de: 'Bitte füllen Sie dieses Feld aus.', en: 'Please fill in this field.' },
  noOption: { de: 'Dieser Wert steht nicht zur Auswahl.', en: 'This value is not one of the options.' },
  exactCharacters: (count: number) => ({ de: `Genau ${count} Zeichen.`, en: `Exactly ${count} characters.` }),
  minCharacters: (min: number) => ({ de: `Mindestens ${min} Zeichen.`, en: `At least ${min} characters.` }),
  maxCharacters: (max: number) => ({ de: `Höchstens ${max} Zeichen.`, en: `At most ${max} characters.` }),
  characters: (min: number, max: number) => ({ de: `${min} bis ${max} Zeichen.`, en: `${min} to ${max} characters.` }),
  minItems: (min: number) =>
    min === 1
      ? { de: 'Mindestens 1 Eintrag.', en: 'At least 1 item.' }
      : { de: `Mindestens ${min} Einträge.`, en: `At least ${min} items.` },
  maxItems: (max: number) => ({ de: `Höchstens ${max} Einträge.`, en: `At most ${max} items.` }),
  min: (min: number) => ({ de: `Mindestens ${min}.`, en: `At least ${min}.` }),
  max: (max: number) => ({ de: `Höchstens ${max}.`, en: `At most ${max}.` }),
  moreThan: (bound: number) => ({ de: `Mehr als ${bound}.`, en: `More than ${bound}.` }),
  lessThan: (bound: number) => ({ de: `Weniger als ${bound}.`, en: `Less than ${bound}.` }),
  oneLine: {
    de: 'Geben Sie eine einzelne Zeile ohne Steuerzeichen und unsichtbare Zeichen ein.',
    en: 'Enter a single line without control characters and invisible characters.',
  },
  linkInName: {
    de: 'Der Name darf keine Web- oder E-Mail-Adresse enthalten. Setzen Sie nach einem Punkt ein Leerzeichen.',
    en: 'The name must not contain a web or email address. Put a space after a full stop.',
  },
  phoneNumberInName: {
    de: 'Der Name darf keine Telefonnummer enthalten.',
    en: 'The name must not contain a phone number.',
  },
  email: { de: 'Geben Sie eine gültige E-Mail-Adresse ein.', en: 'Enter a valid email address.' },
  date: {
    de: 'Geben Sie ein gültiges Datum ein.',
    en: 'Enter a valid date.',
    api: 'It is a day, like 2026-10-01',
  },
  time: {
    de: 'Geben Sie einen gültigen Zeitpunkt ein.',
    en: 'Enter a valid time.',
    api: 'It is a time with an offset, like 2026-11-20T09:30:00+01:00 (in a query, + is written %2B)',
  },
  intervals: {
    de: 'Jeder Zeitraum muss nach dem vorherigen beginnen.',
    en: 'Each interval must start after the previous one.',
  },
  nul: { de: 'Der Text darf kein NUL-Zeichen enthalten.', en: 'The text must not contain a NUL character.' },
  notUnicode: { de: 'Der Text muss gültiges Unicode sein.', en: 'The text must be valid Unicode.' },
  tooManyValues: (max: number) => ({ de: `Höchstens ${max} Werte.`, en: `At most ${max} values.` }),
  tooManyKeys: (max: number) => ({ de: `Höchstens ${max} Schlüssel.`, en: `At most ${max} keys.` }),
  numberTooLarge: { de: 'Die Zahl ist zu groß.', en: 'The number is too large.' },
  tooDeep: (max: number) => ({ de: `Höchstens ${max} verschachtelte Ebenen.`, en: `At most ${max} nested levels.` }),
  jsonTooLarge: (max: number) => ({ de: `Höchstens ${max} Bytes JSON.`, en: `At most ${max} bytes of JSON.` }),
  notJson: { de: 'Das ist kein gültiges JSON.', en: 'This is not valid JSON.' },
  cursor: {
    de: 'Die Liste hat sich geändert. Laden Sie die Seite neu.',
    en: 'The list has changed. Reload the page.',
    api: 'The cursor is not from this list with these filters: send next_cursor back unchanged.',
  },
} as const;

type Issue = z.core.$ZodIssue;

const isMessage = (value: unknown): value is Message => isRecord(value) && 'de' in value && 'en' in value;

const sizeMessages = {
  too_small: {
    string: fieldMessages.minCharacters,
    array: fieldMessages.minItems,
    number: fieldMessages.min,
    exclusive: fieldMessages.moreThan,
  },
  too_big: {
    string: fieldMessages.maxCharacters,
    array: fieldMessages.maxItems,
    number: fieldMessages.max,
    exclusive: fieldMessages.lessThan,
  },
} as const;

const aboutSize = (issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): Message => {
  const bound = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  const messages = sizeMessages[issue.code];
  if (issue.origin === 'array') return messages.array(bound);
  if (issue.origin !== 'string') return issue.inclusive === false ? messages.exclusive(bound) : messages.number(bound);
  if (issue.exact) return fieldMessages.exactCharacters(bound);
  return issue.code === 'too_small' && bound === 1 ? fieldMessages.missing : messages.string(bound);
};

const formats: Readonly<Record<string, Message>> = {
  email: fieldMessages.email,
  date: fieldMessages.date,
  datetime: fieldMessages.time,
};

const aboutIssue = (issue: Issue): Message => {
  if (issue.code === 'too_small' || issue.code === 'too_big') return aboutSize(issue);
  // In requests of the app only a JSON object can have a wrong type. In any other field, a wrong type means that it is
  // empty.
  if (issue.code === 'invalid_type' && issue.expected !== 'object') return fieldMessages.missing;
  if (issue.code === 'invalid_value' && issue.values.length > 1) return fieldMessages.noOption;
  return (issue.code === 'invalid_format' && formats[issue.format]) || fieldMessages.invalid;
};

/** The message for a flaw that Zod found: ours if our code found it, otherwise Zod's own text for developers. */
export const messageOfIssue = (issue: Issue): Message => {
  const ours: unknown = issue.code === 'custom' ? issue.params?.['message'] : undefined;
  return isMessage(ours) ? ours : { ...aboutIssue(issue), api: issue.message };
};
