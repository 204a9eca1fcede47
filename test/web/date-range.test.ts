import { describe, expect, it } from 'vitest';
import { isPreset, presets, rangeOptions, timesOf, typedDay } from '../../src/web/kit/list/date-range.ts';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';

const berlin = 'Europe/Berlin';
const at = (range: string, now: string, zone = berlin, own = { from: '', to: '' }) =>
  timesOf({ range, ...own }, new Date(now), zone);

describe('the range of a date filter', () => {
  it('has whole days of the team’s time zone, wherever the reader is', () => {
    // Half past midnight in Berlin, still the day before in UTC.
    const now = '2026-11-21T23:30:00Z';
    expect(at('today', now)).toEqual({ since: '2026-11-21T23:00:00.000Z' });
    expect(at('7d', now)).toEqual({ since: '2026-11-15T23:00:00.000Z' });
    expect(at('30d', now)).toEqual({ since: '2026-10-23T22:00:00.000Z' });
    expect(at('month', now)).toEqual({ since: '2026-10-31T23:00:00.000Z' });
    expect(at('last_month', now)).toEqual({ since: '2026-09-30T22:00:00.000Z', until: '2026-10-31T23:00:00.000Z' });
    expect(at('today', now, 'America/New_York')).toEqual({ since: '2026-11-21T05:00:00.000Z' });
    expect(at('today', '2026-11-21T23:30:00Z', 'Pacific/Kiritimati')).toEqual({ since: '2026-11-21T10:00:00.000Z' });
  });

  it('begins right on the days when the clocks change, and in January', () => {
    expect(at('today', '2026-03-29T12:00:00Z')).toEqual({ since: '2026-03-28T23:00:00.000Z' });
    expect(at('today', '2026-10-25T12:00:00Z')).toEqual({ since: '2026-10-24T22:00:00.000Z' });
    expect(at('last_month', '2027-01-15T12:00:00Z')).toEqual({
      since: '2026-11-30T23:00:00.000Z',
      until: '2026-12-31T23:00:00.000Z',
    });
  });

  it('includes the last day of an own range, and may be open on one side', () => {
    const own = (from: string, to: string) => at('own', '2026-11-22T12:00:00Z', berlin, { from, to });
    expect(own('2026-10-01', '2026-10-31')).toEqual({
      since: '2026-09-30T22:00:00.000Z',
      until: '2026-10-31T23:00:00.000Z',
    });
    expect(own('2026-10-01', '')).toEqual({ since: '2026-09-30T22:00:00.000Z' });
    expect(own('', 'yesterday')).toEqual({});
    expect(own('2026-10-01 or so', 'on 2026-10-31')).toEqual({});
    // Somebody who is still typing the year.
    expect(own('0202-10-01', '1899-12-31')).toEqual({});
    expect(own('1900-01-01', '')).toEqual({ since: '1899-12-31T23:00:00.000Z' });
    expect(at('forever', '2026-11-22T12:00:00Z')).toEqual({});
  });

  it('has the day that is typed for a filter of days, as soon as it is one', () => {
    for (const day of ['2026-12-01', '2024-02-29', '1900-01-01']) expect(typedDay(day)).toBe(day);
    for (const text of ['', '0202-12-01', '1899-12-31', '2026-02-29', '2026-13-01', '2026-12-01 or so', '1.12.2026'])
      expect(typedDay(text)).toBeUndefined();
  });

  it('is a preset or an own one', () => {
    expect(presets.filter(isPreset)).toEqual(['today', '7d', '30d', 'month', 'last_month']);
    expect(['own', '', 'forever'].some(isPreset)).toBe(false);
    for (const preset of presets) expect(at(preset, '2026-11-22T12:00:00Z')).toHaveProperty('since');
  });

  it('is chosen by its name in both languages', () => {
    const values = ['', 'today', '7d', '30d', 'month', 'last_month', 'own'];
    const german = ['Gesamter Zeitraum', 'Heute', 'Letzte 7 Tage', 'Letzte 30 Tage', 'Dieser Monat', 'Letzter Monat'];
    const english = ['All time', 'Today', 'Last 7 days', 'Last 30 days', 'This month', 'Last month'];
    const named = (labels: string[]) => values.map((value, at) => ({ value, label: labels[at] }));
    expect(rangeOptions()).toEqual(named([...german, 'Benutzerdefiniert']));
    setCurrentLanguage('en');
    expect(rangeOptions()).toEqual(named([...english, 'Custom range']));
  });
});
