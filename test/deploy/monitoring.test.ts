import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { cellMetrics, measureCells } from '../../src/db/cells/metrics.ts';
import { makeMeter, metrics, startMetricsServer } from '../../src/platform/telemetry/meter.ts';
import { crontab, recurringTasks } from '../../src/worker/tasks.ts';
import { noBacklog } from '../telemetry/backlog.ts';
import { scrape } from '../telemetry/scrape.ts';

const Rule = z.object({
  record: z.string().optional(),
  alert: z.string().optional(),
  expr: z.string(),
  annotations: z.object({ summary: z.string(), runbook: z.string() }).optional(),
});
const Rules = z.object({ groups: z.array(z.object({ name: z.string(), rules: z.array(Rule) })) });
const Dashboard = z.object({
  panels: z.array(
    z.object({ id: z.int(), title: z.string(), targets: z.array(z.object({ expr: z.string() })).optional() }),
  ),
});

const read = (file: string) => readFile(`docs/deploy/monitoring/${file}`, 'utf8');
const { groups } = Rules.parse(parse(await read('rules.yml')));
const rules = groups.flatMap((group) => group.rules);
const named = [...Object.values(metrics), ...Object.values(cellMetrics)];
/** Those about the machines use metrics of others. */
const rulesOfService = groups.filter(({ name }) => !name.endsWith(' machines')).flatMap((group) => group.rules);
const { panels } = Dashboard.parse(JSON.parse(await read('grafana-dashboard.json')));

const expressions = [
  ...rulesOfService.map(({ alert, record, expr }) => ({ where: alert ?? record ?? '', expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
];

/** What the service serves, once everything has happened that the rules count. */
const served = async () => {
  const meter = makeMeter({
    backlog: async () => ({ ...noBacklog, dueJobs: [{ task: 'send_mail', seconds: 1 }] }),
    queues: () => ({ deliveries: { '': true } }),
    connections: () => [{ part: '', used: 1, idle: 1, waiting: 1 }],
    parts: {
      metrics: Object.values(cellMetrics),
      ...measureCells('', {
        looks: () => [{ node: '10.0.0.7:5432', open: 1, closed: 1, ageSeconds: 1, preparedSeconds: 0 }],
        of: () => Promise.reject(new Error('nobody asks')),
        teamOfKey: async () => undefined,
      }),
    },
  });
  for (const status of [200, 500, 503]) meter.requests.inc({ method: 'GET', route: '/me', status });
  meter.requestSeconds.observe({ method: 'GET', route: '/me' }, 0.1);
  meter.refusals.inc({ code: 'unavailable' });
  meter.signInEvents.inc({ event: 'limited' });
  meter.connectionsRefused.inc();
  meter.maintenance.set(1);
  for (const result of ['ok', 'gave_up']) meter.attempts.inc({ result });
  meter.attemptSeconds.observe({ result: 'ok' }, 0.1);
  meter.receiptSeconds.observe({ receiver: 'ready' }, 1);
  meter.claimed.inc();
  meter.endpoints.inc({ change: 'warned' });
  meter.jobs.inc({ task: 'send_mail', result: 'failed' });
  meter.jobSeconds.observe({ task: 'send_mail' }, 0.1);
  for (const task of recurringTasks) meter.lastSuccess.setToCurrentTime({ task });
  await using server = await startMetricsServer({ meter, host: '127.0.0.1', port: 0 }).then((side) => ({
    ...side,
    [Symbol.asyncDispose]: () => side.close(),
  }));
  return (await scrape(server.port)).text;
};

const RuleTests = z.object({
  tests: z.array(
    z.object({
      name: z.string(),
      alert_rule_test: z
        .array(z.object({ eval_time: z.string(), alertname: z.string(), exp_alerts: z.array(z.unknown()) }))
        .default([]),
    }),
  ),
});

/** The sections of the guide by their anchors. */
const sectionsOf = (guide: string): ReadonlyMap<string, string> =>
  new Map(
    guide.split(/^#+ /m).map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-');
      return [anchor, lines.join('\n')];
    }),
  );

/** What the guide says about each alert: what customers notice, what to look at, what to do, and what not to do. */
const parts = ['Felt', 'Look at', 'Do', "Don't"];

/** Words of PromQL. */
const language =
  'sum max min count by le on and or unless rate increase changes offset absent time max_over_time min_over_time topk histogram_quantile'.split(
    ' ',
  );
/** Prometheus adds these, and makes `up`. */
const labelsOfPrometheus = ['job', 'instance', 'le'];

describe('the rules and the dashboard', () => {
  let text: string;
  beforeAll(async () => void (text = await served()));

  /** All names of time series: of each histogram there are three. */
  const namesOf = (): Set<string> => {
    const names = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    );
    return new Set([...names, 'up', ...rules.flatMap(({ record }) => record ?? [])]);
  };
  const labelsOf = (series: string): readonly string[] => {
    const metric = named.find(({ name }) => [name, `${name}_bucket`, `${name}_count`].includes(series));
    return [...(metric?.labelNames ?? []), ...labelsOfPrometheus];
  };

  it('use only metrics and labels that the service has', () => {
    const names = namesOf();
    expect(expressions.length).toBeGreaterThan(50);
    for (const { where, expr } of expressions) {
      const selected = [...expr.matchAll(/([\w:]+)\{([^}]*)\}/g)];
      for (const [, series = '', matchers = ''] of selected) {
        for (const [, label = ''] of matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"/g))
          expect(labelsOf(series), `${where}: ${series}`).toContain(label);
      }
      const words = expr.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b\d\w*/g, '').match(/[a-zA-Z_][\w:]*/g) ?? [];
      const series = words.filter((word) => names.has(word));
      expect(series, where).not.toEqual([]);
      const labels = series.flatMap(labelsOf);
      for (const word of words)
        expect(names.has(word) || labels.includes(word) || language.includes(word), `${where}: ${word}`).toBe(true);
    }
  });

  it('ask for values of labels that occur', () => {
    for (const { where, expr } of expressions) {
      for (const [matcher, label] of expr.matchAll(/(\w+)="[^"]*"/g))
        if (label !== 'job') expect(text, where).toContain(matcher);
    }
  });

  it('allow more than a day for the tasks that run once a day, and hours for all others', () => {
    const daily = crontab
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, hour]) => hour !== '*')
      .map(([, , , , , task]) => task)
      .join('|');
    const late = rules.find(({ alert }) => alert === 'RecurringTaskLate')?.expr ?? '';
    expect([...late.matchAll(/task(=~|!~)"([^"]*)"[^>]*> (\d+) \* 3600/g)].map((found) => found.slice(1))).toEqual([
      ['!~', daily, '3'],
      ['=~', daily, '26'],
    ]);
  });

  it('show every metric of the service on the dashboard', () => {
    const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
    for (const { name } of named) expect(shown).toContain(name);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  const alerts = rules.flatMap(({ alert, annotations }) => (alert === undefined ? [] : [{ alert, annotations }]));

  it('name a heading of docs/operations.md for each alert, with its four parts', async () => {
    const sections = sectionsOf(await readFile('docs/operations.md', 'utf8'));
    expect(alerts.length).toBeGreaterThan(40);
    for (const { alert, annotations } of alerts) {
      const [file, anchor = ''] = annotations?.runbook.split('#') ?? [];
      expect(file, alert).toBe('docs/operations.md');
      const items = [...(sections.get(anchor) ?? '').matchAll(/^- \*\*([^*]+)\*\*: \S/gm)].map(([, part]) => part);
      expect(items, `${alert}: ${anchor}`).toEqual(parts);
    }
  });

  it('have a test of each alert: it is silent at its bound, fires beyond it, and ends', async () => {
    const files = ['rules-bounds.test.yml', 'rules-bounds-over-hours.test.yml'];
    const { tests } = RuleTests.parse({
      tests: (await Promise.all(files.map(async (file) => RuleTests.parse(parse(await read(file))).tests))).flat(),
    });
    expect(tests.map(({ name }) => name).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    for (const { name, alert_rule_test } of tests) {
      expect(new Set(alert_rule_test.map(({ alertname }) => alertname)), name).toEqual(new Set([name]));
      const fires = alert_rule_test.map(({ exp_alerts }) => exp_alerts.length > 0);
      expect(fires, name).toEqual([false, true, false]);
    }
  });
});
