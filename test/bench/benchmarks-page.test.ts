import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { drawChart } from '../../scripts/bench/peers/chart.ts';
import { drawCharts, names, service, writePage, type Results } from '../../scripts/bench/peers/page.ts';

const servers = [service, ...Object.values(names)].map((name, index) => {
  return { name, perSecond: 12_345 / (index + 1), p99: 3, server: 60, postgres: 40, ratio: index + 0.9 };
});
const fixed: Results = {
  date: '2026-11-25',
  machine: { CPUs: '2' },
  versions: { directus: '12.4.0' },
  method: ['Rounds in turn.'],
  skipped: [],
  requests: (['by id', 'list of 50', 'POST'] as const).map((measured) => ({ measured, servers })),
  few: { connections: 10, ratios: new Map([['by id', 0.7]]) },
  deliveries: [service, 'graphile-worker', 'pg-boss'].map((name) => {
    return { name, perSecond: 2_000, sender: 200, postgres: 100, ratio: 1 };
  }),
  growth: [
    {
      what: 'A page',
      costs: [100, 110, 120].map((process) => ({ size: String(process), process, postgres: 100 })),
      reason: 'is not shown, because the cost is within its limit',
    },
    {
      what: 'A delivery',
      costs: [100, 300].map((process) => ({ size: String(process), process, postgres: 100 })),
      reason: 'a job has one delivery',
    },
  ],
};

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The headings, the headers of the tables, and the links to images. */
const shapeOf = (page: string) => {
  const lines = page.split('\n');
  return {
    headings: lines.filter((line) => line.startsWith('#')),
    tables: lines.filter((_, index) => /^\|[ :|-]+\|$/.test(lines[index + 1] ?? '')).map(cellsOf),
    images: [...page.matchAll(/!\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, file]) => [text, file]),
  };
};

/** Fails unless the text is well-formed XML of elements, attributes and text. */
const expectWellFormed = (xml: string): void => {
  const open: string[] = [];
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<&]*(?:&[a-z]+;[^"<&]*)*")*)(\/?)>/g;
  for (const [, closing, name = '', , empty] of xml.matchAll(tag)) {
    if (closing) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name);
  }
  expect(open).toEqual([]);
  expect(xml.replaceAll(tag, '').replaceAll(/&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/[<&]/);
};

describe('docs/benchmarks.md', () => {
  const committed = readFile('docs/benchmarks.md', 'utf8');

  it('has the headings, tables and charts that the bench writes', async () => {
    expect(shapeOf(await committed)).toEqual(shapeOf(writePage(fixed)));
  });

  it('links to charts that exist, are well-formed and have a title and a description', async () => {
    const { images } = shapeOf(await committed);
    expect(images.map(([, file]) => file)).toEqual([...drawCharts(fixed).keys()]);
    for (const [text, file] of images) {
      expect(existsSync(`docs/${file}`)).toBe(true);
      const svg = await readFile(`docs/${file}`, 'utf8');
      expectWellFormed(svg);
      expect(svg).toContain('role="img" aria-labelledby="title desc"');
      expect(svg).toContain(`<title id="title">${text}</title>`);
      expect(svg).toMatch(/<desc id="desc">[^<]+<\/desc>/);
    }
  });
});

describe('the page of a bench', () => {
  const page = writePage(fixed);

  it('says which wanted figures were missed', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| to '));
    const ratios = new Map(rows.map(cellsOf).map(([name, ...cells]) => [name, cells]));
    expect(ratios.get(`to ${names.express}`)).toEqual(['1.90', '1.90', '1.90', 'at least 0.75']);
    expect(ratios.get(`to ${names.strapi}`)).toEqual(['4.90', '4.90', '4.90', 'at least 4']);
    const slower = fixed.requests.map(({ measured }) => {
      return { measured, servers: servers.map((server) => ({ ...server, ratio: 0.5 })) };
    });
    expect(writePage({ ...fixed, requests: slower })).toContain(
      `| to ${names.strapi} | **0.50** (missed) | **0.50** (missed) | 0.50 | at least 4 |`,
    );
  });

  it('gives the reason of a cost that grows by more than is wanted, and only of that', () => {
    expect(page).toContain('| A delivery | 100 + 100 = 200 | – | 300 + 100 = 400 | **2.00** (missed) | at most 1.3 |');
    expect(page).toContain('- A delivery: a job has one delivery');
    expect(page).not.toContain('is not shown');
  });

  it('says what the ratios are with few connections', () => {
    expect(page).toContain(`ratios to ${names.express} are 0.70 (by id).`);
  });

  it('says what was left out', () => {
    expect(page).not.toContain('Not compared');
    expect(writePage({ ...fixed, skipped: ['strapi: npm could not install it'] })).toContain(
      'Not compared:\n\n- strapi: npm could not install it\n',
    );
  });
});

it('a chart is well-formed whatever its texts are, and its longest bar is that of the largest value', () => {
  const bars = [1, 4].map((value) => ({ label: 'a < b & "c"', value, text: `${value} > 0`, isOurs: value === 4 }));
  const svg = drawChart({ title: 'A & B', description: '<none>', bars });
  expectWellFormed(svg);
  const lengths = [...svg.matchAll(/<rect class="([a-z ]+)" .* width="(\d+)"/g)].map(([, name, width]) => [
    name,
    Number(width),
  ]);
  expect(lengths.map(([name]) => name)).toEqual(['bar', 'bar ours']);
  expect(Number(lengths[1]?.[1])).toBeCloseTo(4 * Number(lengths[0]?.[1]), -1);
});
