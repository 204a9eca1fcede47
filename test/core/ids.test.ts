import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { later, minutesToMs } from '../../src/core/clock.ts';
import { firstIdAt, greatestIdUntil, isId, makeId, makeIdAt, minIdSince, timeOfId } from '../../src/core/ids.ts';

describe('ids', () => {
  it('are UUIDs of version 7, sorted by their creation', () => {
    const before = Date.now();
    const ids = Array.from({ length: 1_000 }, makeId);
    const after = Date.now();
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const made = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
      expect(made).toBeGreaterThanOrEqual(before);
      expect(made).toBeLessThanOrEqual(after);
    }
    const times = ids.map((id) => id.slice(0, 13));
    expect(times).toEqual([...times].sort());
  });

  it('sort in the order in which a process made them, however many it makes', () => {
    const ids = Array.from({ length: 20_000 }, makeId);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids.map((id) => id.slice(0, 18))).size).toBe(ids.length);
  });

  it('can be made for another time', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (time) => {
        const id = makeIdAt(time);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(timeOfId(id)).toEqual(time);
        expect(makeIdAt(time)).not.toBe(id);
      }),
    );
  });

  it('lie between the bounds of their time, even if a clock is wrong by a quarter of an hour, but not more', () => {
    const time = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    const quarter = minutesToMs(15);
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: quarter }), (at, wrong) => {
        expect(timeOfId(firstIdAt(at))).toEqual(at);
        expect(firstIdAt(at) < makeIdAt(at)).toBe(true);
        expect(minIdSince(at) < makeIdAt(later(at, -wrong))).toBe(true);
        expect(greatestIdUntil(at) > makeIdAt(later(at, quarter - wrong))).toBe(true);
        expect(minIdSince(later(at, quarter + wrong)) > makeIdAt(at)).toBe(true);
        expect(greatestIdUntil(at) < makeIdAt(later(at, quarter + wrong))).toBe(true);
        for (const bound of [minIdSince(at), greatestIdUntil(at)]) expect(isId(bound)).toBe(true);
        expect(minIdSince(undefined) < makeIdAt(at) && makeIdAt(at) < greatestIdUntil(undefined)).toBe(true);
      }),
    );
    expect(minIdSince(new Date(0))).toBe(minIdSince(undefined));
    expect([minIdSince(undefined), greatestIdUntil(undefined)].every(isId)).toBe(true);
  });

  it('have only one accepted form', () => {
    fc.assert(fc.property(fc.uuid(), (id) => isId(id)));
    const id = makeId();
    for (const other of [
      '',
      ' ',
      `${id} `,
      ` ${id}`,
      `${id}\n`,
      id.toUpperCase(),
      id.replaceAll('-', ''),
      `{${id}}`,
      id.slice(1),
      `${id}0`,
      `${id.slice(0, -1)}g`,
      `${id.slice(0, -1)}０`,
      `${id}\0`,
      `urn:uuid:${id}`,
    ]) {
      expect(isId(other)).toBe(false);
    }
    fc.assert(fc.property(fc.string(), (text) => !isId(text)));
  });
});
