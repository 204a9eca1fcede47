import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';
import { z } from 'zod';
import { connectionMessages, flawAt, syncMessages, valueMessages } from '../../src/core/messages/crm.ts';
import { fieldMessages, messageOfIssue } from '../../src/core/messages/fields.ts';
import type { Message } from '../../src/core/language.ts';
import { accessMessages, keyMessages, memberMessages, signInMessages } from '../../src/core/messages/people.ts';
import { certificateFailures, failureMessages, targetMessages } from '../../src/core/messages/requests.ts';
import { catalogMessages, trainingMessages } from '../../src/core/messages/trainings.ts';
import { webhookMessages } from '../../src/core/messages/webhooks.ts';

const catalogue = {
  accessMessages,
  catalogMessages,
  connectionMessages,
  failureMessages,
  fieldMessages,
  keyMessages,
  memberMessages,
  signInMessages,
  syncMessages,
  targetMessages,
  trainingMessages,
  valueMessages,
  webhookMessages,
};

type Entry = Message | ((...values: never[]) => Message);

const messageOf = (entry: Entry): Message => {
  // The values of a message are texts, numbers or lists; a list with one number stands for all of them.
  const value: unknown = [7];
  return typeof entry === 'function' ? Reflect.apply(entry, undefined, [value, value]) : entry;
};

const entries = Object.entries(catalogue).flatMap(([name, messages]) =>
  Object.entries<Entry>(messages).map(([key, entry]) => ({ name, key, entry })),
);

describe('a message', () => {
  it.each(entries)('$name.$key is a sentence in both languages', ({ entry }) => {
    const { de, en } = messageOf(entry);
    expect(de).toMatch(/^[A-ZÄÖÜ7n].*\.$/s);
    expect(en).toMatch(/^[A-Z7n].*\.$/s);
  });

  it('is used by the service', async () => {
    let source = '';
    for await (const file of filesMatching('src/**/*.ts', ['src/db/generated/**', 'src/web/**'])) {
      source += await readFile(file, 'utf8');
    }
    const unused = entries.filter(
      ({ name, key }) => !source.includes(`${name}.${key}`) && !source.includes(`wrong('${key}')`),
    );
    expect(unused.map(({ name, key }) => `${name}.${key}`)).toEqual([]);
  });

  it('about a certificate is a sentence too', () => {
    for (const { de, en } of Object.values(certificateFailures)) expect(`${de} ${en}`).toMatch(/^D.*\. The .*\.$/);
  });
});

describe('a flaw that Zod found', () => {
  it.each([
    [z.string().min(1), '', 'Bitte füllen Sie dieses Feld aus.'],
    [z.string().min(3), 'ab', 'Mindestens 3 Zeichen.'],
    [z.string().max(1), 'ab', 'Höchstens 1 Zeichen.'],
    [z.string().length(2), 'a', 'Genau 2 Zeichen.'],
    [z.array(z.string()).min(1), [], 'Mindestens 1 Eintrag.'],
    [z.array(z.string()).min(2), [], 'Mindestens 2 Einträge.'],
    [z.array(z.string()).max(0), ['a'], 'Höchstens 0 Einträge.'],
    [z.int().min(2), 1, 'Mindestens 2.'],
    [z.number().gt(2), 2, 'Mehr als 2.'],
    [z.number().max(2), 3, 'Höchstens 2.'],
    [z.number().lt(2), 2, 'Weniger als 2.'],
    [z.string(), undefined, 'Bitte füllen Sie dieses Feld aus.'],
    [z.object({}), 'x', 'Der Wert ist ungültig.'],
    [z.enum(['a', 'b']), 'c', 'Dieser Wert steht nicht zur Auswahl.'],
    [z.literal('x'), 'y', 'Der Wert ist ungültig.'],
    [z.iso.date(), 'x', 'Geben Sie ein gültiges Datum ein.'],
    [z.string().regex(/a/), 'b', 'Der Wert ist ungültig.'],
  ] as const)('in %o has words for people, and Zod’s for developers', (schema, value, german) => {
    const [issue] = schema.safeParse(value).error?.issues ?? [];
    if (!issue) throw new Error('The value is valid');
    expect(messageOfIssue(issue)).toMatchObject({ de: german, api: issue.message });
  });

  it('in a CRM’s answer is named with its place', () => {
    const [issue] = z.string('text').safeParse(1).error?.issues ?? [];
    expect(flawAt('deals[3].title', issue)).toEqual({
      de: 'deals[3].title: Der Wert muss ein Text sein.',
      en: 'deals[3].title: It must be a text.',
    });
  });

  it('names a duration in both languages', () => {
    expect(failureMessages.noAnswerWithin(1_000)).toEqual({
      de: 'Der Server hat nicht innerhalb von 1 Sekunde geantwortet.',
      en: 'The server did not respond within 1 second.',
    });
    expect(failureMessages.noAnswerWithin(2_500).de).toContain('innerhalb von 2,5 Sekunden');
  });
});
