// Ranges of days for the filters of lists. Days begin at midnight in the team's time zone, for every reader alike.

export const presets = ['today', '7d', '30d', 'month', 'last_month'] as const;
export type Preset = (typeof presets)[number];

export const isPreset = (text: string): text is Preset => presets.some((preset) => preset === text);

/** A range as the address has it: the name of a preset, or `own` with its first and last day. */
export interface RangeText {
  range: string;
  from: string;
  to: string;
}

export interface Times {
  /** Inclusive. */
  since?: string;
  /** Exclusive. */
  until?: string;
}

interface Day {
  year: number;
  month: number;
  day: number;
}

const partsIn = (zone: string, time: Date): Record<string, number> =>
  Object.fromEntries(
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
      .formatToParts(time)
      .flatMap(({ type, value }) => (type === 'literal' ? [] : [[type, Number(value)] as const])),
  );

/** The calendar day in a time zone. */
const dayIn = (zone: string, time: Date): Day => {
  const { year = 0, month = 0, day = 0 } = partsIn(zone, time);
  return { year, month, day };
};

/** How far the zone's clocks are ahead of UTC, in milliseconds. */
const offsetIn = (zone: string, time: Date): number => {
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = partsIn(zone, time);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time.getTime() / 1000) * 1000;
};

/** The moment at which a day begins; days beyond the end of a month belong to the next one. */
const startOf = (zone: string, { year, month, day }: Day): Date => {
  const asUtc = Date.UTC(year, month - 1, day);
  // The offset at that moment. Near a clock change, the first guess may have used a different one.
  const guess = asUtc - offsetIn(zone, new Date(asUtc));
  return new Date(asUtc - offsetIn(zone, new Date(guess)));
};

const read = (text: string): Day | undefined => {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === '' || Number(year) < 1900) return undefined;
  return { year: Number(year), month: Number(month), day: Number(day) };
};

/** The times of a range; the last day is included. An unknown range is no filter. */
export const timesOf = ({ range, from, to }: RangeText, now: Date, zone: string): Times => {
  const today = dayIn(zone, now);
  const at = (days: number) => startOf(zone, { ...today, day: today.day + days }).toISOString();
  const month = (months: number) => startOf(zone, { ...today, month: today.month + months, day: 1 }).toISOString();
  switch (range) {
    case 'today':
      return { since: at(0) };
    case '7d':
      return { since: at(-6) };
    case '30d':
      return { since: at(-29) };
    case 'month':
      return { since: month(0) };
    case 'last_month':
      return { since: month(-1), until: month(0) };
    case 'own': {
      const [first, last] = [read(from), read(to)];
      return {
        ...(first && { since: startOf(zone, first).toISOString() }),
        ...(last && { until: startOf(zone, { ...last, day: last.day + 1 }).toISOString() }),
      };
    }
    default:
      return {};
  }
};
