import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

// Days and times of the pages, in three time zones: each in a process of its own, because formatters keep the zone in
// which they were made. St. John's is three and a half hours behind UTC, Auckland thirteen before it in summer.

const zones = ['UTC', 'America/St_Johns', 'Pacific/Auckland'] as const;

const modules = {
  dates: 'src/web/kit/text/dates.ts',
  relative: 'src/web/kit/text/relative-time.ts',
  expiry: 'src/web/pages/keys/expiry.ts',
  assignments: 'src/web/pages/assignments/figures.ts',
  overview: 'src/web/pages/overview/figures.ts',
  trends: 'src/web/pages/analytics/trend-words.ts',
  messages: 'src/web/language/field-messages.ts',
  recovery: 'src/web/pages/webhooks/recovery.ts',
  demand: 'src/web/pages/settings/demand-words.ts',
} as const;

interface Row {
  /** An expression of the modules above. */
  call: string;
  /** What each zone says, in the order of the zones. */
  de: readonly unknown[];
  en: readonly unknown[];
}

const same = (text: unknown) => zones.map(() => text);

const half = 'new Date("2026-11-22T23:30:00Z")';

const rows: readonly Row[] = [
  // Half past eleven in UTC is the same evening in St. John's, and the next noon in Auckland.
  {
    call: 'dates.exactText("2026-11-22T23:30:00Z")',
    de: ['22.11.2026, 23:30:00', '22.11.2026, 20:00:00', '23.11.2026, 12:30:00'],
    en: ['22 Nov 2026, 23:30:00', '22 Nov 2026, 20:00:00', '23 Nov 2026, 12:30:00'],
  },
  {
    call: 'dates.clockText("2026-11-22T23:30:00Z")',
    de: ['23:30', '20:00', '12:30'],
    en: ['23:30', '20:00', '12:30'],
  },
  {
    call: 'dates.dayText("2026-11-22T23:30:00Z")',
    de: ['22.11.2026', '22.11.2026', '23.11.2026'],
    en: ['22 Nov 2026', '22 Nov 2026', '23 Nov 2026'],
  },
  {
    call: 'dates.dayText("2026-11-23T01:00:00Z")',
    de: ['23.11.2026', '22.11.2026', '23.11.2026'],
    en: ['23 Nov 2026', '22 Nov 2026', '23 Nov 2026'],
  },
  {
    call: `dates.longDayText(${half})`,
    de: ['22. November 2026', '22. November 2026', '23. November 2026'],
    en: ['22 November 2026', '22 November 2026', '23 November 2026'],
  },
  // A calendar day is the same everywhere.
  { call: 'dates.calendarDayText("2026-11-22")', de: same('22.11.2026'), en: same('22 Nov 2026') },
  { call: 'dates.calendarDayText("2026-11-22T23:30:00Z")', de: same('22.11.2026'), en: same('22 Nov 2026') },
  // With its day only if that is not the reader's today.
  {
    call: 'dates.minuteText("2026-11-22T23:30:00Z", new Date("2026-11-22T10:00:00Z"))',
    de: ['23:30', '20:00', '23.11.2026, 12:30'],
    en: ['23:30', '20:00', '23 Nov 2026, 12:30'],
  },
  {
    call: 'dates.minuteText("2026-11-22T23:30:00Z", new Date("2026-11-23T05:00:00Z"))',
    de: ['22.11.2026, 23:30', '22.11.2026, 20:00', '12:30'],
    en: ['22 Nov 2026, 23:30', '22 Nov 2026, 20:00', '12:30'],
  },
  {
    call: `dates.isToday("2026-11-23T01:00:00Z", ${half})`,
    de: [false, true, true],
    en: [false, true, true],
  },
  {
    call: `dates.dayName(new Date("2026-11-23T01:00:00Z"), ${half})`,
    de: ['Montag, 23. November', 'Heute', 'Heute'],
    en: ['Monday 23 November', 'Today', 'Today'],
  },
  {
    call: 'dates.dayName(new Date("2026-11-22T10:30:00Z"), new Date("2026-11-23T01:00:00Z"))',
    de: ['Gestern', 'Heute', 'Gestern'],
    en: ['Yesterday', 'Today', 'Yesterday'],
  },
  {
    call: 'dates.dayName(new Date("2026-11-20T23:30:00Z"), new Date("2026-11-23T01:00:00Z"))',
    de: ['Freitag, 20. November', 'Freitag, 20. November', 'Samstag, 21. November'],
    en: ['Friday 20 November', 'Friday 20 November', 'Saturday 21 November'],
  },
  // Missed events are recovered for a day at first, or since deliveries fail.
  {
    call: `recovery.recoveredFrom(undefined, ${half})`,
    de: ['2026-11-21T23:30', '2026-11-21T20:00', '2026-11-22T12:30'],
    en: ['2026-11-21T23:30', '2026-11-21T20:00', '2026-11-22T12:30'],
  },
  {
    call: `recovery.recoveredFrom("2026-11-20T10:00:00Z", ${half})`,
    de: ['2026-11-20T10:00', '2026-11-20T06:30', '2026-11-20T23:00'],
    en: ['2026-11-20T10:00', '2026-11-20T06:30', '2026-11-20T23:00'],
  },
  // Entries of a list are below the reader's day, the newest day first.
  {
    call: `dates.byDay(["2026-11-23T01:00:00Z", "2026-11-22T23:30:00Z", "2026-11-22T03:00:00Z"], (at) => at)
      .map(([day, of]) => day.getDate() + ": " + of.length).join(", ")`,
    de: ['23: 1, 22: 2', '22: 2, 21: 1', '23: 2, 22: 1'],
    en: ['23: 1, 22: 2', '22: 2, 21: 1', '23: 2, 22: 1'],
  },
  // The trainings behind a point of a trend are those of its week or month in UTC.
  { call: 'trends.endOf("2026-11-16", "week")', de: same('2026-11-22'), en: same('2026-11-22') },
  { call: 'trends.endOf("2026-12-28", "week")', de: same('2027-01-03'), en: same('2027-01-03') },
  { call: 'trends.endOf("2026-02-01", "month")', de: same('2026-02-28'), en: same('2026-02-28') },
  { call: 'trends.endOf("2026-12-01", "month")', de: same('2026-12-31'), en: same('2026-12-31') },
  // The bound of a field is the day or time that was typed as such.
  {
    call: 'messages.messageFor({ type: "date", validity: { rangeUnderflow: true }, getAttribute: (name) => name === "min" ? "2026-11-22" : "" })',
    de: same('Frühester Wert: 22.11.2026.'),
    en: same('Earliest value: 22/11/2026.'),
  },
  {
    call: 'messages.messageFor({ type: "datetime-local", validity: { rangeOverflow: true }, getAttribute: (name) => name === "max" ? "2026-11-22T23:30" : "" })',
    de: same('Spätester Wert: 22.11.2026, 23:30.'),
    en: same('Latest value: 22 Nov 2026, 23:30.'),
  },
  // The first day of a month and of a year.
  {
    call: 'dates.dayName(new Date("2026-12-31T12:00:00Z"), new Date("2027-01-01T12:00:00Z"))',
    de: same('Gestern'),
    en: same('Yesterday'),
  },
  // Due days are days in UTC for everybody, as for the server.
  { call: `dates.dueDayIn(0, ${half})`, de: same('2026-11-22'), en: same('2026-11-22') },
  { call: `dates.dueDayIn(7, ${half})`, de: same('2026-11-29'), en: same('2026-11-29') },
  { call: 'dates.dueDayIn(1, new Date("2026-12-31T00:00:00Z"))', de: same('2027-01-01'), en: same('2027-01-01') },
  { call: `dates.daysSince("2026-11-21", ${half})`, de: same(1), en: same(1) },
  { call: 'dates.daysSince("2026-11-21", new Date("2026-11-22T00:00:00Z"))', de: same(1), en: same(1) },
  { call: 'dates.daysSince("2026-11-21", new Date("2026-11-23T00:00:00Z"))', de: same(2), en: same(2) },
  {
    call: `assignments.lateText("2026-11-20", ${half})`,
    de: same('2 Tage überfällig'),
    en: same('2 days overdue'),
  },
  {
    call: `overview.oldestText("2026-11-21", ${half})`,
    de: same('Die älteste seit 1 Tag.'),
    en: same('The oldest is 1 day late.'),
  },
  // What is typed into a field is in the reader's zone.
  {
    call: 'dates.dayInWords("2026-11-05")',
    de: same('Do., 5. Nov. 2026'),
    en: same('Thu, 5 Nov 2026'),
  },
  {
    call: 'dates.dayInWords("2026-11-05T00:15")',
    de: same('Do., 5. Nov. 2026, 00:15'),
    en: same('Thu, 5 Nov 2026, 00:15'),
  },
  { call: 'dates.dayInWords("0202-11-05")', de: same(null), en: same(null) },
  { call: 'dates.dayInWords("")', de: same(null), en: same(null) },
  {
    call: `dates.toLocalInput(${half})`,
    de: ['2026-11-22T23:30', '2026-11-22T20:00', '2026-11-23T12:30'],
    en: ['2026-11-22T23:30', '2026-11-22T20:00', '2026-11-23T12:30'],
  },
  { call: 'dates.toLocalInput(new Date(NaN))', de: same(''), en: same('') },
  {
    call: `relative.relativeTime(new Date("2026-11-21T22:00:00Z"), "en", ${half})`,
    de: same('yesterday'),
    en: same('yesterday'),
  },
  {
    // 26 hours ago it was still the day before yesterday in St. John's only.
    call: 'relative.relativeTime(new Date("2026-11-22T02:00:00Z"), "en", new Date("2026-11-23T04:00:00Z"))',
    de: ['yesterday', '2 days ago', 'yesterday'],
    en: ['yesterday', '2 days ago', 'yesterday'],
  },
  // A key ends at the end of the reader's day, or at the same time of day.
  {
    call: 'expiry.expiryOf({ after: "date", date: "2026-11-22" })',
    de: ['2026-11-22T23:59:59.999Z', '2026-11-23T03:29:59.999Z', '2026-11-22T10:59:59.999Z'],
    en: ['2026-11-22T23:59:59.999Z', '2026-11-23T03:29:59.999Z', '2026-11-22T10:59:59.999Z'],
  },
  { call: 'expiry.expiryOf({ after: "never", date: "" })', de: same(null), en: same(null) },
  {
    // Over the end of summer time in St. John's, which Auckland begins in September.
    call: 'expiry.expiryOf({ after: "30", date: "" }, new Date("2026-10-15T12:00:00Z"))',
    de: ['2026-11-14T12:00:00.000Z', '2026-11-14T13:00:00.000Z', '2026-11-14T12:00:00.000Z'],
    en: ['2026-11-14T12:00:00.000Z', '2026-11-14T13:00:00.000Z', '2026-11-14T12:00:00.000Z'],
  },
  {
    call: `expiry.expiryText({ after: "90", date: "" }, ${half})`,
    de: ['Gültig bis 20. Februar 2027.', 'Gültig bis 20. Februar 2027.', 'Gültig bis 21. Februar 2027.'],
    en: ['Valid until 20 February 2027.', 'Valid until 20 February 2027.', 'Valid until 21 February 2027.'],
  },
  {
    call: 'expiry.expiryText({ after: "date", date: "2026-12-31" })',
    de: same('Gültig bis 31. Dezember 2026.'),
    en: same('Valid until 31 December 2026.'),
  },
  {
    call: 'expiry.expiryText({ after: "date", date: "" })',
    de: same('Gültig, bis Sie ihn widerrufen oder rotieren.'),
    en: same('Valid until you revoke or rotate it.'),
  },
  {
    call: `expiry.graceText({ expires_at: null }, 7, ${half})`,
    de: ['29.11.2026, 23:30', '29.11.2026, 20:00', '30.11.2026, 12:30'].map(
      (time) => `Der alte Schlüssel bleibt bis ${time} gültig. Bis dahin können Sie beide verwenden.`,
    ),
    en: ['29 Nov 2026, 23:30', '29 Nov 2026, 20:00', '30 Nov 2026, 12:30'].map(
      (time) => `The old key stays valid until ${time}. You can use both keys until then.`,
    ),
  },
  {
    // It expires before the grace period ends.
    call: `expiry.graceText({ expires_at: "2026-11-24T23:00:00Z" }, 7, ${half})`,
    de: ['24.11.2026, 23:00', '24.11.2026, 19:30', '25.11.2026, 12:00'].map(
      (time) =>
        `Der alte Schlüssel bleibt bis zu seinem Ablauf am ${time} gültig. Bis dahin können Sie beide verwenden.`,
    ),
    en: ['24 Nov 2026, 23:00', '24 Nov 2026, 19:30', '25 Nov 2026, 12:00'].map(
      (time) => `The old key stays valid until it expires on ${time}. You can use both keys until then.`,
    ),
  },
  { call: `expiry.graceText({ expires_at: null }, "", ${half})`, de: same(''), en: same('') },
  // A demand of sign-ins begins with a day of the reader's.
  ...(
    [
      ['14', '', '2026-12-06', '2026-12-07'],
      ['7', '2026-12-24', '2026-11-29', '2026-11-30'],
      ['day', '2026-12-24', '2026-12-24', '2026-12-24'],
      ['now', '2026-12-24', null, null],
    ] as const
  ).map(([start, own, day, ofAuckland]) => ({
    call: `demand.dayOf("${start}", "${own}", ${half})`,
    de: [day, day, ofAuckland],
    en: [day, day, ofAuckland],
  })),
  {
    call: `demand.startText("14", ${half})`,
    de: ['So., 6. Dez.', 'So., 6. Dez.', 'Mo., 7. Dez.'].map((day) => `ab ${day} 2026 (in 14 Tagen)`),
    en: ['Sun, 6 Dec', 'Sun, 6 Dec', 'Mon, 7 Dec'].map((day) => `from ${day} 2026 (in 14 days)`),
  },
  {
    call: `demand.startText("7", ${half})`,
    de: ['So., 29. Nov.', 'So., 29. Nov.', 'Mo., 30. Nov.'].map((day) => `ab ${day} 2026 (in 7 Tagen)`),
    en: ['Sun, 29 Nov', 'Sun, 29 Nov', 'Mon, 30 Nov'].map((day) => `from ${day} 2026 (in 7 days)`),
  },
  { call: `demand.startText("day", ${half})`, de: same('an einem anderen Tag'), en: same('on another day') },
  { call: `demand.startText("now", ${half})`, de: same('sofort'), en: same('now') },
  {
    call: 'demand.startOf("2026-11-24").toISOString()',
    de: ['2026-11-24T00:00:00.000Z', '2026-11-24T03:30:00.000Z', '2026-11-23T11:00:00.000Z'],
    en: ['2026-11-24T00:00:00.000Z', '2026-11-24T03:30:00.000Z', '2026-11-23T11:00:00.000Z'],
  },
  // The first day is tomorrow. The last one begins within the 90 days of the service even where summer time, which ends
  // in Auckland in April, makes it begin an hour later.
  ...(
    [
      ['2026-11-22T23:30:00Z', ['2026-11-23', '2027-02-19'], ['2026-11-24', '2027-02-20']],
      ['2027-02-28T11:10:00Z', ['2027-03-01', '2027-05-28'], ['2027-03-02', '2027-05-29']],
    ] as const
  ).map(([now, [min, max], [minOfAuckland, maxOfAuckland]]) => {
    const days = [
      { min, max },
      { min, max },
      { min: minOfAuckland, max: maxOfAuckland },
    ];
    return { call: `demand.daysToChoose(new Date("${now}"))`, de: days, en: days };
  }),
  ...['2026-11-22T23:30:00Z', '2027-02-28T11:10:00Z'].map((now) => ({
    call: `[demand.daysToChoose(new Date("${now}"))].map(({ min, max }) =>
      demand.startOf(min) > new Date("${now}") && demand.startOf(max) - new Date("${now}") <= ${90 * 86_400_000})[0]`,
    de: same(true),
    en: same(true),
  })),
  ...(
    [
      ['active', '2026-12-06T23:29:59Z', null, true],
      ['active', '2026-12-06T23:30:00Z', null, false],
      ['active', null, null, false],
      ['active', '2026-11-23T00:00:00Z', 'next', false],
      ['expired', '2026-11-22T00:00:00Z', null, false],
    ] as const
  ).map(([status, expires_at, rotated_to_id, isSoon]) => ({
    call: `expiry.expiresSoon(${JSON.stringify({ status, expires_at, rotated_to_id })}, ${half})`,
    de: same(isSoon),
    en: same(isSoon),
  })),
];

const program = `
  ${Object.entries(modules)
    .map(([name, path]) => `import * as ${name} from './${path}';`)
    .join('\n')}
  import { setCurrentLanguage } from './src/web/language/texts.ts';
  const plain = (value) => typeof value === 'string' ? value.replaceAll(/[\\u00a0\\u202f]/g, ' ') : value ?? null;
  const said = {};
  for (const language of ['de', 'en']) {
    setCurrentLanguage(language);
    said[language] = [${rows.map(({ call }) => `plain(${call})`).join(',\n')}];
  }
  console.log(JSON.stringify(said));`;

const Answer = z.object({ de: z.array(z.unknown()), en: z.array(z.unknown()) });

const said = zones.map((zone) =>
  Answer.parse(
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
        env: { ...process.env, TZ: zone },
        encoding: 'utf8',
      }),
    ),
  ),
);

describe('in UTC, in St. John’s and in Auckland', () => {
  it.each(rows.map((row, at) => [row.call, row, at] as const))('%s', (_call, { de, en }, at) => {
    expect({ de: said.map((zone) => zone.de[at]), en: said.map((zone) => zone.en[at]) }).toEqual({ de, en });
  });
});
