// Prometheus with the shipped configuration and rules: only the addresses of the processes are replaced.

import { execFile, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { freePort, killAtExit, untilReady } from '../kit/processes.ts';
import type { ServiceProcess } from '../kit/service.ts';
import { readShipped } from '../kit/shipped.ts';
import { requireProgram } from '../kit/system.ts';

const execute = promisify(execFile);
const shipped = fileURLToPath(new URL('../../docs/deploy/monitoring/', import.meta.url));

const Rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(z.object({ name: z.string(), query: z.string(), health: z.string(), type: z.string() })),
    }),
  ),
});
const Metadata = z.record(z.string(), z.unknown());
const Series = z.array(z.object({ __name__: z.string() }));
const Alerts = z.object({
  alerts: z.array(z.object({ state: z.string(), labels: z.object({ alertname: z.string() }) })),
});
const Targets = z.object({ activeTargets: z.array(z.object({ health: z.string(), scrapeUrl: z.string() })) });

export interface Watched {
  /** Rules that Prometheus could not evaluate, and processes that it could not read. */
  readonly failed: readonly string[];
  /** Metrics of the service that a rule names and no process has. */
  readonly unknown: readonly string[];
  /** Metrics that have no value yet, because what they count has not happened. */
  readonly withoutValue: readonly string[];
  /** Metrics of other programs' exporters, which this machine does not run. */
  readonly ofExporters: readonly string[];
  readonly read: number;
  readonly firing: readonly string[];
}

export interface Prometheus {
  /** Waits until every rule was evaluated, and compares what the rules name with what Prometheus has read. */
  readonly look: () => Promise<Watched>;
}

/** The names of metrics in an expression of PromQL: neither functions nor labels, and no recorded rule. */
export const metricsIn = (expression: string): string[] => {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
    .replaceAll(/\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(\()?/g)].flatMap(([, name = '', call]) => {
    const isMetric = name === 'up' || (name.includes('_') && !name.includes(':'));
    return call === undefined && isMetric ? [name] : [];
  });
};

/** A histogram has three metrics, whose names have these endings. */
const baseOf = (name: string): string => name.replace(/_(bucket|count|sum)$/, '');

const inQuotes = (processes: readonly ServiceProcess[]): string =>
  processes.map(({ metricsPort }) => `'127.0.0.1:${metricsPort}'`).join(', ');

/** `promtool` checks the shipped rules and runs their tests. Throws with what it says. */
const checkRules = async (promtool: string, config: string): Promise<void> => {
  const run = (...words: string[]) => execute(promtool, words, { cwd: shipped });
  await run('check', 'config', config);
  await run('check', 'rules', '--lint-fatal', 'rules.yml');
  await run('test', 'rules', ...(await readdir(shipped)).filter((name) => name.endsWith('.test.yml')));
};

export const startPrometheus = async (
  opened: AsyncDisposableStack,
  folder: string,
  processes: readonly ServiceProcess[],
): Promise<Prometheus> => {
  const program = await requireProgram('/usr/bin/prometheus', 'prometheus');
  const configuration = (await readShipped('monitoring/prometheus.yml')).replaceAll(
    /targets: \[[^\]]*\](\s+labels: \{ role: (api|worker) \})/g,
    (_, labels, role) => `targets: [${inQuotes(processes.filter((process) => process.role === role))}]${labels}`,
  );
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, configuration);
  await cp(join(shipped, 'rules.yml'), join(folder, 'rules.yml'));
  await checkRules(join(dirname(program), 'promtool'), file);

  const address = `127.0.0.1:${await freePort()}`;
  const words = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'prometheus')}`];
  const log = openSync(join(folder, 'prometheus.log'), 'a');
  const server = spawn(program, [...words, `--web.listen-address=${address}`], { stdio: ['ignore', log, log] });
  const ended = killAtExit(server);
  opened.defer(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  await untilReady(
    server,
    async () => (await fetch(`http://${address}/-/ready`)).ok,
    () => `see ${folder}`,
  );

  const ask = async <Answer>(path: string, answer: z.ZodType<Answer>): Promise<Answer> => {
    const found = await fetch(`http://${address}/api/v1/${path}`);
    return z.object({ data: answer }).parse(await found.json()).data;
  };
  const evaluated = async () => {
    for (;;) {
      const { groups } = await ask('rules', Rules);
      const rules = groups.flatMap(({ name: group, rules: all }) => all.map((rule) => ({ ...rule, group })));
      if (rules.length > 0 && rules.every(({ health }) => health !== 'unknown')) return rules;
      await sleep(1_000);
    }
  };

  return {
    look: async () => {
      const rules = await evaluated();
      const { activeTargets } = await ask('targets', Targets);
      const declared = new Set(Object.keys(await ask('metadata', Metadata)));
      const match = encodeURIComponent('{job="team-customer-api"}');
      const series = new Set((await ask(`series?match[]=${match}`, Series)).map((one) => one.__name__));
      const { alerts } = await ask('alerts', Alerts);
      const isExporters = ({ group }: { group: string }) => group.endsWith(' machines');
      const namesOf = (some: typeof rules) => [...new Set(some.flatMap(({ query }) => metricsIn(query)))].toSorted();
      const own = namesOf(rules.filter((rule) => !isExporters(rule)));
      const isDeclared = (name: string) => name === 'up' || declared.has(name) || declared.has(baseOf(name));
      return {
        failed: [
          ...rules.filter(({ health }) => health !== 'ok').map(({ name }) => name),
          ...activeTargets.filter(({ health }) => health !== 'up').map(({ scrapeUrl }) => scrapeUrl),
        ],
        unknown: own.filter((name) => !isDeclared(name)),
        withoutValue: own.filter((name) => isDeclared(name) && !series.has(name)),
        ofExporters: namesOf(rules.filter(isExporters)),
        read: own.length,
        firing: alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname),
      };
    },
  };
};
