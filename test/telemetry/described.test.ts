import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { cellMetrics } from '../../src/db/cells/metrics.ts';
import { makeMeter, metrics } from '../../src/platform/telemetry/meter.ts';
import { filesMatching } from '../support/files-matching.ts';
import { noBacklog } from './backlog.ts';

const ofParts = Object.values(cellMetrics);
const named = [...Object.values(metrics), ...ofParts];

it('the operations guide has a row for each metric, with the text of its definition', async () => {
  const guide = await readFile('docs/operations.md', 'utf8');
  // Independent of the width of the columns.
  const rows = [...guide.matchAll(/^\| `team_api_.*\|$/gm)].map(([row]) => row.replaceAll(/ +\|/g, ' |'));
  const labels = (list: readonly string[]) => list.map((label) => `\`${label}\``).join(', ') || '–';
  expect(rows).toEqual(
    named.map((metric) => `| \`${metric.name}\` | ${metric.type} | ${labels(metric.labelNames)} | ${metric.help} |`),
  );
});

it('the metrics have exactly these names, types and descriptions', async () => {
  const parts = { metrics: ofParts, values: () => [], noteUnavailable: () => {} };
  const meter = makeMeter({ backlog: async () => noBacklog, parts });
  const text = await meter.text();
  expect([...text.matchAll(/^# TYPE (.*)$/gm)].map(([, type]) => type).toSorted()).toEqual(
    named.map(({ name, type }) => `${name} ${type}`).toSorted(),
  );
  for (const { name, help } of named) expect(text).toContain(`# HELP ${name} ${help}\n`);
});

it('each metric that is counted where something happens is counted there', async () => {
  let source = '';
  for await (const path of filesMatching('src/**/*.ts', ['src/db/generated/**', 'src/web/**', '**/telemetry/meter.ts']))
    source += await readFile(path, 'utf8');
  const counted = Object.entries(makeMeter()).flatMap(([name, metric]) =>
    typeof metric === 'object' && ['inc', 'observe', 'set'].some((method) => method in metric) ? [name] : [],
  );
  expect(counted.length).toBeGreaterThan(10);
  expect(counted.filter((name) => !new RegExp(`\\b${name}\\.(inc|observe|set\\w*)\\(`).test(source))).toEqual([]);
});
