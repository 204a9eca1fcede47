import { describe, expect, it } from 'vitest';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { clockIn } from '../../src/core/time-zone.ts';

describe('a clock in a time zone', () => {
  it.each([
    ['UTC', '2026-11-30T23:59:59.999Z', '2026-11-30', 23],
    ['UTC', '2026-12-01T00:00:00Z', '2026-12-01', 0],
    // Summer time begins at 2 o'clock and ends at 3, in Europe.
    ['Europe/Berlin', '2027-03-28T00:59:59Z', '2027-03-28', 1],
    ['Europe/Berlin', '2027-03-28T01:00:00Z', '2027-03-28', 3],
    ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25', 2],
    ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25', 2],
    ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26', 0],
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01', 1],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01', 1],
    // Here it begins at midnight, which this day does not have.
    ['Africa/Cairo', '2026-04-23T21:59:59Z', '2026-04-23', 23],
    ['Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24', 1],
    ['Asia/Kolkata', '2026-11-30T18:30:00Z', '2026-12-01', 0],
    ['Pacific/Kiritimati', '2026-11-30T10:00:00Z', '2026-12-01', 0],
    ['Pacific/Niue', '2026-12-01T10:59:00Z', '2026-11-30', 23],
    // Half an hour of summer time.
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', '2026-10-04', 2],
  ])('in %s shows at %s the day %s and the hour %i', (timeZone, time, day, hour) => {
    expect(clockIn(timeZone)(new Date(time))).toEqual({ day, hour });
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe', 'UTC'])(
    'in %s shows the morning of each day once, also of those on which the clocks change',
    (timeZone) => {
      const clock = clockIn(timeZone);
      const mornings: string[] = [];
      const first = new Date('2026-01-01T00:00:00Z');
      for (let hours = 0; hours < 400 * 24; hours += 1) {
        const { day, hour } = clock(later(first, hoursToMs(hours)));
        if (hour === 8) mornings.push(day);
      }
      expect(new Set(mornings).size).toBe(mornings.length);
      expect(mornings.length).toBeGreaterThanOrEqual(399);
    },
  );
});
