import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';
import { firstMidnight, intervalsOf, periodWith, spanOf } from '../../src/web/kit/charts/periods.ts';
import { isLine, labelledPoints, ticksAround, ticksUpTo } from '../../src/web/kit/charts/scale.ts';
import { chartColors } from '../../src/web/theme/chart-colors.ts';

const inZone = <T>(zone: string, act: () => T): T => {
  vi.stubEnv('TZ', zone);
  try {
    return act();
  } finally {
    vi.unstubAllEnvs();
  }
};

describe('an axis of scores', () => {
  it('covers the values and little more, in round steps within 0 and 100', () => {
    expect(ticksAround([57, 66, 75])).toEqual([55, 60, 65, 70, 75]);
    expect(ticksAround([63.4])).toEqual([57.5, 60, 62.5, 65, 67.5, 70]);
    expect(ticksAround([0, 100])).toEqual([0, 25, 50, 75, 100]);
    expect(ticksAround([100])[0]).toBeGreaterThan(90);
    expect(ticksAround([100]).at(-1)).toBe(100);
  });
});

describe('the intervals of a chart', () => {
  const now = new Date('2026-11-22T07:41:00Z');

  it('are half hours, three hours or days of the reader’s time zone', () => {
    const [day, week, month] = inZone('Asia/Kathmandu', () => [
      intervalsOf('24h', now),
      intervalsOf('7d', now),
      intervalsOf('30d', now),
    ]);
    // In Kathmandu it is 13:26.
    expect([day?.starts.length, day?.starts.at(-1)?.toISOString(), day?.end.toISOString()]).toEqual([
      48,
      '2026-11-22T07:15:00.000Z',
      '2026-11-22T07:45:00.000Z',
    ]);
    expect([week?.starts.length, week?.starts.at(-1)?.toISOString()]).toEqual([56, '2026-11-22T06:15:00.000Z']);
    expect([month?.starts.length, month?.starts[0]?.toISOString()]).toEqual([30, '2026-10-23T18:15:00.000Z']);
  });

  it('follow a clock change: no interval is empty, and days begin at midnight', () => {
    inZone('Europe/Berlin', () => {
      const { starts } = intervalsOf('7d', new Date('2026-03-30T10:00:00Z'));
      expect(starts.every((start, at) => at === 0 || start > (starts[at - 1] ?? start))).toBe(true);
      const days = intervalsOf('30d', new Date('2026-03-30T10:00:00Z')).starts;
      expect(days.map((start) => start.getHours())).toEqual(Array(30).fill(0));
      expect(intervalsOf('24h', new Date('2026-03-29T10:00:00Z')).starts.length).toBe(46);
      expect(firstMidnight(starts)).toBe(3);
      expect(firstMidnight([new Date('2026-03-30T22:30:00Z'), new Date('2026-03-31T22:00:00Z')])).toBe(1);
      expect(firstMidnight([new Date('2026-03-30T10:00:00Z')])).toBe(0);
    });
  });

  it('include the part that a time range covers', () => {
    const starts = [0, 1, 2, 3].map((hour) => new Date(Date.UTC(2026, 0, 1, hour)));
    const at = (hour: number, minute = 0) => new Date(Date.UTC(2026, 0, 1, hour, minute));
    expect(spanOf(starts, { since: undefined, until: undefined })).toBe(null);
    expect(spanOf(starts, { since: at(1), until: at(3) })).toEqual({ from: 1, to: 2 });
    expect(spanOf(starts, { since: at(1, 30), until: undefined })).toEqual({ from: 1, to: 3 });
    expect(spanOf(starts, { since: new Date('2025-12-31'), until: at(1) })).toEqual({ from: 0, to: 0 });
    expect(spanOf(starts, { since: undefined, until: at(2) })).toEqual({ from: 0, to: 1 });
    expect(spanOf(starts, { since: undefined, until: new Date('2025-12-31') })).toBe(null);
    expect(spanOf(starts, { since: at(2), until: at(2) })).toBe(null);
    expect(periodWith(new Date(now.getTime() - 3_600_000), now)).toBe('24h');
    expect(periodWith(new Date(now.getTime() - 3 * 86_400_000), now)).toBe('7d');
    expect(periodWith(new Date(0), now)).toBe('30d');
    // The shortest one ends with the running interval, and so begins less than a day ago.
    expect(periodWith(intervalsOf('24h', now).starts[0] ?? now, now)).toBe('24h');
    expect(periodWith(new Date(now.getTime() - 86_400_000), now)).toBe('7d');
  });
});

describe('a chart', () => {
  it('is drawn from the second point with values', () => {
    const [none, one] = [
      { p50: null, p95: null },
      { p50: 3, p95: null },
    ];
    expect([[], [none], [none, one], [one, none, one]].map(isLine)).toEqual([false, false, false, true]);
  });
});

describe('the axes of a chart', () => {
  it('have round values from zero to at least the largest', () => {
    expect(ticksUpTo(100)).toEqual([0, 25, 50, 75, 100]);
    expect(ticksUpTo(7, { whole: true })).toEqual([0, 2, 4, 6, 8]);
    expect(ticksUpTo(0, { whole: true })).toEqual([0, 1]);
    expect(ticksUpTo(1, { whole: true })).toEqual([0, 1]);
    expect(ticksUpTo(1_234_567).at(-1)).toBe(1_500_000);
    expect(ticksUpTo(9)).toEqual([0, 2.5, 5, 7.5, 10]);
    expect(ticksUpTo(9, { whole: true })).toEqual([0, 5, 10]);
    for (const max of [1, 3, 9, 10, 11, 99, 101, 12_345]) {
      const ticks = ticksUpTo(max, { whole: true });
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.every(Number.isInteger)).toBe(true);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }
  });

  it('have as many labels as there is room for, at equal distances', () => {
    const plan = { points: 48, label: 50, steps: [4, 8, 12, 24], anchor: 3 };
    expect(labelledPoints({ ...plan, band: 20 })).toEqual([3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47]);
    expect(labelledPoints({ ...plan, band: 5 })).toEqual([3, 15, 27, 39]);
    // Just enough room.
    expect(labelledPoints({ ...plan, label: 40, band: 5 })).toEqual([3, 11, 19, 27, 35, 43]);
  });
});

type Rgb = [number, number, number];

const linear = (hex: string): Rgb => {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
};
const dot = (row: Rgb, rgb: Rgb): number => row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2];
const luminance = (hex: string): number => dot([0.2126, 0.7152, 0.0722], linear(hex));
const contrast = (a: string, b: string): number => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};
/** CIELAB, in which distances are approximately as large as people see them. */
const lab = (rgb: Rgb): Rgb => {
  const root = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const clipped: Rgb = [Math.max(rgb[0], 0), Math.max(rgb[1], 0), Math.max(rgb[2], 0)];
  const x = root(dot([0.4124, 0.3576, 0.1805], clipped) / 0.95047);
  const y = root(dot([0.2126, 0.7152, 0.0722], clipped));
  const z = root(dot([0.0193, 0.1192, 0.9505], clipped) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
};
/** Colours as people with a complete colour vision deficiency see them (Machado, Oliveira and Fernandes, 2009). */
const vision: Readonly<Record<string, [Rgb, Rgb, Rgb]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const distance = (a: string, b: string, seen: [Rgb, Rgb, Rgb]): number => {
  const through = (hex: string): Rgb => {
    const rgb = linear(hex);
    return lab([dot(seen[0], rgb), dot(seen[1], rgb), dot(seen[2], rgb)]);
  };
  const [p, q] = [through(a), through(b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
};

it('charts have the colours of the one set alone', async () => {
  const known = Object.keys(chartColors.light);
  expect(Object.keys(chartColors.dark)).toEqual(known);
  for await (const file of filesMatching('src/web/**/*.{ts,tsx,css}')) {
    const text = await readFile(file, 'utf8');
    if (file.includes('chart')) {
      const own = file.includes('chart-colors') ? [] : [...text.matchAll(/#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi)];
      expect({ file, own: own.map(([color]) => color) }).toEqual({ file, own: [] });
    }
    for (const [name] of text.matchAll(/--chart-[a-z\d-]+/g)) expect(known, file).toContain(name);
  }
});

describe.each([
  ['light', ['#ffffff', '#f7f8fb']],
  ['dark', ['#15171c', '#1c1f26']],
] as const)('the chart colours of the %s scheme', (scheme, backgrounds) => {
  const colors = Object.entries(chartColors[scheme]);

  it('have a contrast of 3:1 with every background', () => {
    for (const [name, color] of colors)
      for (const background of backgrounds)
        expect(contrast(color, background), `${name} on ${background}`).toBeGreaterThanOrEqual(3);
  });

  it('are distinguishable for readers with a colour vision deficiency', () => {
    for (const [kind, seen] of Object.entries(vision)) {
      const outcomes = colors.filter(([name]) => !name.includes('line'));
      // Lines also differ in their dashes.
      const lines = colors.filter(([name]) => name.includes('line'));
      for (const [group, min] of [
        [outcomes, 20],
        [lines, 8],
      ] as const)
        for (const [index, [name, color]] of group.entries())
          for (const [other, second] of group.slice(index + 1))
            expect(distance(color, second, seen), `${name} and ${other}, ${kind}`).toBeGreaterThan(min);
    }
  });
});
