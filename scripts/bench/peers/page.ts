// Writes docs/benchmarks.md and its charts from the results of `npm run bench -- peers`.

import type { Measured } from './cms.ts';
import { drawChart } from './chart.ts';

/** A server in one scenario: medians of the rounds. Times are CPU time of a request in microseconds. */
export interface Answered {
  name: string;
  perSecond: number;
  p99: number;
  server: number;
  postgres: number;
  /** The ratio of the service's requests per second to those of this server: the median of the rounds' ratios. */
  ratio: number;
}

/** A program that sends webhooks. Times are CPU time of a delivery in microseconds. */
export interface Sent {
  name: string;
  perSecond: number;
  sender: number;
  postgres: number;
  ratio: number;
}

/** The CPU time of something in installations of different sizes, in microseconds. */
export interface Grown {
  what: string;
  costs: readonly { size: string; process: number; postgres: number }[];
  /** Why the cost grows, if it grows by more than `maxGrowth`. */
  reason?: string;
}

export interface Results {
  /** As YYYY-MM-DD. */
  date: string;
  machine: Readonly<Record<string, string>>;
  versions: Readonly<Record<string, string>>;
  /** Sentences about the measurement: how many rounds, of how many seconds, how many deliveries. */
  method: readonly string[];
  /** What could not be compared, and why. */
  skipped: readonly string[];
  requests: readonly { measured: Measured; servers: readonly Answered[] }[];
  /** The ratios to Express + pg with so few connections that a part of the machine is idle. */
  few: { connections: number; ratios: ReadonlyMap<string, number> };
  deliveries: readonly Sent[];
  growth: readonly Grown[];
}

export const service = 'this service';
export const names = {
  express: 'Express + pg',
  fastify: 'Fastify + pg',
  stock: 'trpc-to-openapi + Prisma',
  strapi: 'Strapi',
  directus: 'Directus',
} as const;

/** The lowest wanted ratios of the service's requests per second, by id and of lists. */
const floors: Readonly<Record<string, number>> = {
  [names.express]: 0.75,
  [names.stock]: 1.5,
  [names.strapi]: 4,
  [names.directus]: 4,
};
const maxGrowth = 1.3;

const leftOut = `
- **${names.express}, ${names.fastify}**: what an engineer would write first. They check the key and count its budget and the team’s, in one plain
  statement. A POST writes the same rows as the service: assignment, event, delivery, audit entry. They leave out: validation of input and answer,
  privacy switches (except in a POST), pages after the first, idempotency, row level security, a fair share for each team, errors in the
  form of the contract, the log and metrics of requests.
- **${names.stock}**: the library’s own Express middleware and Prisma’s own client, as their guides show them. It checks the key and validates input
  and answer, and a POST writes the same rows. Of the catalog it checks only which items the team has blocked. It leaves out: budgets, and the owner at
  the head of the list (it got an index for its own order). What the first two leave out, it leaves out too, but it has validation and pages.
- **${names.strapi}, ${names.directus}**: products that serve any table, with an editor for it. Their tables, filters and rights are data, so each
  request makes them do work that this service does not need. Each got tables with the same columns, the index that the list needs, and one token
  with all rights. They leave out: keys of teams (the client names its team in a filter), budgets, and in a POST the checks of member and catalog,
  the audit entry, the event and the delivery. With each POST, Directus also writes an activity and a revision, and Strapi only the row.
- **graphile-worker, pg-boss**: a job for each delivery. The job reads the delivery, signs it, posts it and stores the outcome. They leave out: the
  guard against internal addresses, the schedule of attempts, the log of attempts, the health of an endpoint, a fair share for each team and host.`;

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const fileOf = (name: string): string => `benchmarks-${name.replaceAll(' ', '-').toLowerCase()}.svg`;

const ratioCell = (ratio: number, floor: number | undefined): string =>
  floor === undefined || ratio >= floor ? ratio.toFixed(2) : `**${ratio.toFixed(2)}** (missed)`;

const ratioTable = ({ requests }: Results): string => {
  const others = (requests[0]?.servers ?? []).filter(({ name }) => name !== service);
  const rows = others.map(({ name }) => {
    const cells = requests.map(({ measured, servers }) => {
      const ratio = servers.find((server) => server.name === name)?.ratio ?? NaN;
      return ratioCell(ratio, measured === 'POST' ? undefined : floors[name]);
    });
    return [`to ${name}`, ...cells, floors[name] === undefined ? '–' : `at least ${floors[name]}`];
  });
  return table(['This service', ...requests.map(({ measured }) => measured), 'wanted by id and list'], rows);
};

const requestTable = (servers: readonly Answered[]): string =>
  table(
    ['', 'requests/s', 'p99, ms', 'CPU of the process, µs', 'CPU of PostgreSQL, µs'],
    servers.map(({ name, perSecond, p99, ...cpu }) => [
      name,
      number(perSecond),
      p99.toFixed(0),
      number(cpu.server),
      number(cpu.postgres),
    ]),
  );

const costOf = ({ process, postgres }: { process: number; postgres: number }) => process + postgres;
const growthOf = ({ costs }: Grown): number => {
  const [first, last] = [costs[0], costs.at(-1)];
  return first && last ? costOf(last) / costOf(first) : NaN;
};

const growthTable = (growth: readonly Grown[]): string =>
  table(
    ['CPU time, µs: process + PostgreSQL', 'smallest', 'middle', 'largest', 'largest to smallest', 'wanted'],
    growth.map((grown) => {
      const cells = grown.costs.map(
        (cost) => `${number(cost.process)} + ${number(cost.postgres)} = ${number(costOf(cost))}`,
      );
      const middle = cells.length > 2 ? cells[1] : '–';
      const ratio = growthOf(grown);
      const shown = ratio <= maxGrowth ? ratio.toFixed(2) : `**${ratio.toFixed(2)}** (missed)`;
      return [grown.what, cells[0] ?? '', middle ?? '', cells.at(-1) ?? '', shown, `at most ${maxGrowth}`];
    }),
  );

const listOf = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
const pairs = (record: Readonly<Record<string, string>>): string[][] => Object.entries(record);

const requestTitle = (measured: Measured): string => `Requests per second, ${measured}`;

/** The charts by their file names. */
export const drawCharts = ({ requests, deliveries }: Results): Map<string, string> => {
  const barsOf = (rows: readonly { name: string; perSecond: number }[]) =>
    rows.map(({ name, perSecond }) => {
      return { label: name, value: perSecond, text: number(perSecond), isOurs: name === service };
    });
  const describe = (rows: readonly { name: string; perSecond: number }[]) =>
    rows.map(({ name, perSecond }) => `${name} ${number(perSecond)}`).join(', ');
  const charts = requests.map(({ measured, servers }): [string, string] => [
    fileOf(measured),
    drawChart({ title: requestTitle(measured), description: describe(servers), bars: barsOf(servers) }),
  ]);
  const title = 'Deliveries per second of one worker';
  charts.push([
    fileOf('deliveries'),
    drawChart({ title, description: describe(deliveries), bars: barsOf(deliveries) }),
  ]);
  return new Map(charts);
};

export const writePage = (results: Results): string => {
  const { date, machine, versions, method, skipped, requests, few, deliveries, growth } = results;
  const requestParts = requests.map(
    ({ measured, servers }) => `### ${measured}

![${requestTitle(measured)}](${fileOf(measured)})

${requestTable(servers)}`,
  );
  const reasons = growth.filter((grown) => growthOf(grown) > maxGrowth && grown.reason);
  return `# Benchmarks

How fast this service is beside others, measured on one machine. \`npm run bench -- peers\` measured this on ${date} and wrote this page.
The client, the server and PostgreSQL shared the machine, so the ratios say more than the absolute figures.

Ratios differ between machines, too: one commit answered 0.74 times the requests of Express + pg by id on one machine, and 0.89 times on another. So
a change is judged by one run that measures it beside the commit before: \`npm run bench -- rest --beside COMMIT\`.

## Ratios

How many requests this service answers for each request of the other server, with so many connections that the whole machine is busy:

${ratioTable(results)}

With ${few.connections} connections a part of the machine is idle: a request to this service waits for one more round trip, in which the gate decides on all
requests at hand. Then the ratios to ${names.express} are ${[...few.ratios].map(([measured, ratio]) => `${ratio.toFixed(2)} (${measured})`).join(', ')}.

Deliveries per second of one worker:

${table(
  ['This service', 'ratio'],
  deliveries.filter(({ name }) => name !== service).map(({ name, ratio }) => [`to ${name}`, ratio.toFixed(2)]),
)}
${skipped.length > 0 ? `\nNot compared:\n\n${listOf(skipped)}\n` : ''}
## Requests

${requestParts.join('\n\n')}

## Webhooks

![Deliveries per second of one worker](${fileOf('deliveries')})

${table(
  ['', 'deliveries/s', 'CPU of the process, µs', 'CPU of PostgreSQL, µs'],
  deliveries.map(({ name, perSecond, sender, postgres }) => [
    name,
    number(perSecond),
    number(sender),
    number(postgres),
  ]),
)}

## What each leaves out
${leftOut}

## How cost grows

${growthTable(growth)}
${reasons.length > 0 ? `\n${listOf(reasons.map(({ what, reason }) => `${what}: ${reason}`))}\n` : ''}
## Machine and versions

${table(['', ''], [...pairs(machine), ...pairs(versions)])}

## How it was measured

${listOf(method)}
`;
};
