import { describe, expect, it } from 'vitest';
import { errorsByField } from '../../src/web/server/problem.ts';

const refused = { code: 'validation_error', title: 'Some values are not valid' } as const;

describe('a refused form', () => {
  it('says every flaw at its field, each once', () => {
    const flaw = (path: (string | number)[], message: string) => ({ path, code: 'custom', message });
    const errors = [
      flaw(['url'], 'Die Adresse 10.0.0.1 ist nicht öffentlich.'),
      flaw(['events', 0], 'Mindestens 1 Eintrag.'),
      flaw(['events', 1], 'Mindestens 1 Eintrag.'),
      flaw(['name'], 'Der Name darf keine Telefonnummer enthalten.'),
      flaw(['name'], 'Höchstens 80 Zeichen.'),
    ];
    expect(errorsByField({ ...refused, errors })).toEqual({
      url: 'Die Adresse 10.0.0.1 ist nicht öffentlich.',
      events: 'Mindestens 1 Eintrag.',
      name: 'Der Name darf keine Telefonnummer enthalten. Höchstens 80 Zeichen.',
    });
  });

  it('says the reason of a rule at its field, or its title, and nothing of other problems', () => {
    const detail = 'Keine gültigen IP-Adressen oder Netze: 10.1, ::x.';
    expect(errorsByField({ ...refused, field: 'allowed_ips', detail })).toEqual({
      allowed_ips: 'Keine gültigen IP-Adressen oder Netze: 10.1, ::x.',
    });
    expect(errorsByField({ ...refused, field: 'name' })).toEqual({ name: refused.title });
    expect(errorsByField({ ...refused, code: 'conflict', field: 'name' })).toEqual({});
    expect(errorsByField(undefined)).toEqual({});
  });
});
