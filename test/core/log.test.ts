import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeField } from '../../src/core/log.ts';

it('the time of a line is complete, whatever the time of the line before', () => {
  const time = fc.date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') });
  const nearby = fc.integer({ min: -2_500, max: 2_500 });
  fc.assert(
    fc.property(time, nearby, (first, later) => {
      for (const now of [first.getTime(), first.getTime() + later]) {
        expect(JSON.parse(`{"level":30${timeField(now)}}`)).toEqual({ level: 30, time: new Date(now).toISOString() });
      }
    }),
  );
});
