import { describe, expect, it } from 'vitest';
import { pastedId, searchable } from '../../src/web/search/search-text.ts';

const uuid = '01990c1e-7a00-7000-8000-000000000082';
const event = `evt_${uuid.replaceAll('-', '')}`;
const key = `svck_live_${'a1B2'.repeat(3)}`;

describe('a text that is searched for', () => {
  it('is sent without the secrets of keys and endpoints', () => {
    expect(searchable(` Bearer ${key}_${'x'.repeat(43)} `)).toBe(`Bearer ${key}`);
    expect(searchable(`${key}_`)).toBe(key);
    expect(searchable(`whsec_${'Z'.repeat(44)}`)).toBe('');
    expect(searchable('x'.repeat(500))).toHaveLength(200);
  });

  it('counts as an id if it is nothing else, with any quotes and punctuation around it', () => {
    for (const id of [uuid, uuid.toUpperCase(), event, key]) {
      expect([id, pastedId(`  "${id}",\n`)]).toEqual([id, id]);
    }
    expect(pastedId(`${key}_${'x'.repeat(43)}`)).toBe(key);
    for (const text of [
      '',
      'hello',
      `${uuid}0`,
      `see ${uuid}`,
      `a${key}`,
      `${key}0`,
      `${'"'.repeat(2_000)}${uuid}`,
      `${uuid} ${uuid}`,
      `whsec_${'Z'.repeat(44)}`,
    ]) {
      expect([text, pastedId(text)]).toEqual([text, undefined]);
    }
  });
});
