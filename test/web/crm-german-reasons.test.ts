import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { german, inGerman, ofPlaces, placeInWords } from '../../src/web/pages/crm/german-reasons.ts';

const literals = /'([^'\\\n]*)'|`([^`\\]+)`/g;
const slot = /\$\{[^}]*\}/;

/** The texts that a template may produce, with other texts of its file in its placeholders. */
const filled = (text: string, words: readonly string[]): string[] =>
  slot.test(text)
    ? words.flatMap((word) =>
        filled(
          text.replace(slot, () => word),
          words,
        ),
      )
    : [text];

/** The sentences in the code of CRMs and of outgoing requests, as a connection shows them. */
const sentences = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const file of glob(['src/modules/crm/**/*.ts', 'src/egress/*.ts'])) {
    const texts = [...(await readFile(file, 'utf8')).matchAll(literals)].map(
      ([, plain, template]) => plain ?? template ?? '',
    );
    const words = [
      '',
      '7',
      '30 seconds',
      ...texts.filter((text) => text.includes(' ') && !slot.test(text) && text.length < 100),
    ];
    for (const text of texts) {
      const slots = text.split(slot).length - 1;
      found.push(...filled(text, slots < 3 ? words : ['7']));
    }
  }
  return found.map((text) => text.replaceAll('receiver', 'CRM').replace('Webhooks are sent', 'Requests are sent'));
};

describe('the reason of a failed sync in German', () => {
  it('is the translation of a sentence that the service has', async () => {
    const english = await sentences();
    expect(english.length).toBeGreaterThan(100);
    for (const [pattern] of [...german, ...ofPlaces]) {
      expect(
        english.some((sentence) => pattern.test(sentence)),
        String(pattern),
      ).toBe(true);
    }
  });

  it('keeps numbers and names', () => {
    expect(inGerman('The CRM answered with status 502.')).toBe('Das CRM antwortete mit dem Status 502.');
    expect(inGerman('HubSpot refused /crm/owners: the token needs the scope crm.objects.owners.read.')).toBe(
      'HubSpot lehnte /crm/owners ab: Dem Token fehlt der Scope crm.objects.owners.read.',
    );
  });

  it('keeps the place of the feed’s answer', () => {
    const reason = 'deals[3].amount: It must be a decimal number or the text of one, like "18400.50".';
    expect(inGerman(reason)).toBe(
      'deals[3].amount: Der Wert muss eine Dezimalzahl sein, als Zahl oder als Text, etwa "18400.50".',
    );
    expect(inGerman('next_cursor: It must have at most 1000 characters.')).toBe(
      'next_cursor: Der Wert darf höchstens 1000 Zeichen haben.',
    );
    expect(inGerman('deals[3].amount: Something else.')).toBeUndefined();
    expect(placeInWords(reason)).toEqual({ de: 'das Feld „amount“ im 4. Deal', en: 'the field “amount” of deal 4' });
    expect(placeInWords('objections[0]: It must be a text.')?.en).toBe('objection 1');
    expect(placeInWords('The CRM answered with status 502.')).toBeUndefined();
  });
});
