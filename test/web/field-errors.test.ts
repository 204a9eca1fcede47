import { describe, expect, it } from 'vitest';
import { wordsFor } from '../../src/core/reasons.ts';
import { flawsByField } from '../../src/web/server/field-errors.ts';

const inGerman = (sentence: string): string => wordsFor(sentence)?.de ?? sentence;
const refused = { code: 'validation_error', title: 'Some values are not valid' } as const;

describe('a refused form', () => {
  it('says every flaw at its field, each once', () => {
    const flaw = (path: (string | number)[], message: string) => ({ path, code: 'custom', message });
    const errors = [
      flaw(['url'], 'The address 10.0.0.1 is not public.'),
      flaw(['events', 0], 'Too small: expected array to have >=1 items'),
      flaw(['events', 1], 'Too small: expected array to have >=1 items'),
      flaw(['name'], 'It must not contain a phone number.'),
      flaw(['name'], 'It has at most 80 characters'),
    ];
    expect(flawsByField({ ...refused, errors }, inGerman)).toEqual({
      url: 'Die Adresse 10.0.0.1 ist nicht öffentlich.',
      events: 'Mindestens 1 Eintrag.',
      name: 'Der Name darf keine Telefonnummer enthalten. Höchstens 80 Zeichen.',
    });
  });

  it('says the reason of a rule at its field, or its title, and nothing of other problems', () => {
    const detail = 'Neither addresses nor networks: 10.1, ::x.';
    expect(flawsByField({ ...refused, field: 'allowed_ips', detail }, inGerman)).toEqual({
      allowed_ips: 'Keine gültigen IP-Adressen oder Netze: 10.1, ::x.',
    });
    expect(flawsByField({ ...refused, field: 'name' }, inGerman)).toEqual({ name: refused.title });
    expect(flawsByField({ ...refused, code: 'conflict', field: 'name' }, inGerman)).toEqual({});
    expect(flawsByField(undefined, inGerman)).toEqual({});
  });
});
