// Sends requests of other teams while one team floods the service, also during a deployment, and while a receiver, a
// provider of sign-ins or a CRM hangs. None of these requests may fail. Behind each proxy (or that of `--proxy`), by
// HTTP/1.1 and HTTP/2, with two and with three processes.

import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { makeId } from '../../src/core/ids.ts';
import { addDomain } from '../../src/modules/company-sign-in/service.ts';
import { connect, disconnect } from '../../src/modules/crm/service.ts';
import type { Platform, Team } from '../../src/platform/team.ts';
import { actIn } from '../../src/platform/team-row.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { agentFor, makeSend, runLoad, sendOn, type Answer, type HttpVersion, type Wanted } from '../kit/clients.ts';
import {
  floodOf,
  floodSize,
  makeAssignments,
  makeLargeCases,
  openConnections,
  sendAtOnce,
  tallyOf,
  type FloodKind,
} from '../kit/crowd.ts';
import { connectTo } from '../kit/database.ts';
import { atMost, quantile } from '../kit/figures.ts';
import type { Try } from '../kit/installation.ts';
import { proxyNames, startProxy, type ProxyName } from '../kit/proxy.ts';
import { pick, type SeededTeam } from '../kit/seed.ts';
import type { ServiceProcess } from '../kit/service.ts';
import { openAsShipped, startPlain, type AsShipped } from './as-shipped.ts';
import { restartAll } from './rolling.ts';

const perSecond = 20;
const sizes = { teams: 20, membersEach: 20, keysEach: 120, trainingsEach: 20 };

/** How long something hangs; the service waits for a provider for 5 seconds, and for a receiver for 10. */
const hangingMs = 11_000;

/** Less than a receiver may take, for which deliveries of others would wait without shares. */
export const maxSecondsToDelivery = 8;

const domain = 'hanging.example';

/** One cell of the table: a proxy, so many processes, a version of HTTP. */
export interface Cell {
  installation: AsShipped;
  platform: Platform;
  /** The proxy. */
  origin: string;
  certificate: string;
  http: HttpVersion;
  /** Those behind the proxy. */
  processes: readonly ServiceProcess[];
  attacker: SeededTeam;
  /** A team that has what the attacker has, but its CRM answers. */
  neighbour: SeededTeam;
}

/** Makes trouble for one team, or some. */
type Trouble = (cell: Cell) => Promise<{
  /** The answers to the requests of this team. */
  itself: string;
  /** Until the CRM of another team was read. */
  secondsToSync?: number;
}>;

const inWords = (answers: readonly Answer[]): string =>
  Object.entries(tallyOf(answers))
    .map(([summary, times]) => `${times} × ${summary}`)
    .join(', ');

const floodedWith =
  (kind: FloodKind): Trouble =>
  async ({ installation: { cluster }, attacker, ...crowd }) => ({
    itself: inWords(await floodOf(kind, { ...crowd, team: attacker, databaseUrl: cluster.urlOf('team_api') })),
  });

const deployed: Trouble = async (cell) => {
  const over = new AbortController();
  const flooding = (async () => {
    const seen: string[] = [];
    while (!over.signal.aborted) seen.push((await floodedWith('transactions')(cell)).itself);
    return { itself: `${seen.length} floods, the last: ${seen.at(-1)}` };
  })();
  await restartAll(cell.processes, { rounds: 1 }).finally(() => over.abort());
  return flooding;
};

const receiverHangs: Trouble = async ({ installation, attacker, ...crowd }) => {
  await using opened = new AsyncDisposableStack();
  const send = makeSend(opened, crowd, crowd.http);
  const key = pick(attacker.keys, 0);
  const url = installation.receiver.urlFor('hang', makeId(), 'one host');
  const { body } = await send({ path: '/webhook-endpoints', key, body: { url, events: ['assignment.created'] } });
  const answers = await makeAssignments(send, attacker, { catalog: installation.seeded.catalog, count: 200 });
  await sleep(hangingMs);
  const id = typeof body === 'object' && body !== null && 'id' in body ? String(body.id) : '';
  await send({ method: 'DELETE', path: `/webhook-endpoints/${id}`, key });
  return { itself: inWords(answers) };
};

const providerHangs: Trouble = async ({ installation: { environment }, ...crowd }) => {
  const headers = { origin: environment['PUBLIC_URL'] ?? '' };
  const requests = Array.from({ length: 200 }, (_, at): Wanted => ({
    path: '/entrance/entrance.startCompanySignIn',
    headers,
    body: { email: `person-${at}@${domain}` },
  }));
  return { itself: inWords(await sendAtOnce({ ...crowd, base: '/trpc' }, requests)) };
};

const teamOf = ({ platform }: Cell, { tenantId }: SeededTeam): Promise<Team> =>
  actIn(platform, { kind: 'operator' }, tenantId);

/** Teams whose CRM hangs, with as many connections as they may have: without a share for each they would fill both workers. */
const silentTeams = 4;
const connectionsEach = 10;
/** A worker looks for what is due each second. Without a share the team would wait for a time-out of the others. */
const maxSecondsToSync = 8;

const crmHangs: Trouble = async (cell) => {
  const { installation, neighbour } = cell;
  const connectCrm = async (team: Team, conduct: 'hang' | 'feed') => {
    const url = installation.receiver.urlFor(conduct, makeId(), 'one host');
    return (await connect(team, { provider: 'feed', url, token: 'a-token' }, { tries: false })).connectionId;
  };
  const others = installation.seeded.teams.filter((team) => team !== neighbour).slice(0, silentTeams);
  const silent: { readonly team: Team; readonly id: string }[] = [];
  for (const team of await Promise.all(others.map((seeded) => teamOf(cell, seeded))))
    for (let made = 0; made < connectionsEach; made += 1) silent.push({ team, id: await connectCrm(team, 'hang') });
  const other = await teamOf(cell, neighbour);
  const answering = await connectCrm(other, 'feed');
  const began = performance.now();
  await using client = await connectTo(installation.databaseUrl);
  const isSynced = async () => {
    const { rowCount } = await client.query(
      `select from crm_run where tenant_id = $1 and connection_id = $2 and outcome = 'ok'`,
      [other.id, answering],
    );
    return rowCount === 1;
  };
  while (!(await isSynced())) await sleep(200);
  const seconds = (performance.now() - began) / 1000;
  await sleep(Math.max(0, hangingMs - seconds * 1000));
  for (const { team, id } of silent) await disconnect(team, id);
  await disconnect(other, answering);
  return { itself: `${silent.length} connections`, secondsToSync: seconds };
};

export const hanging: Readonly<Record<string, Trouble>> = {
  'a receiver that hangs': receiverHangs,
  'a provider that hangs': providerHangs,
  'a CRM that hangs': crmHangs,
};

const troubles: Readonly<Record<string, Trouble>> = {
  [`${floodSize} transactions at once`]: floodedWith('transactions'),
  [`${floodSize} reads at once`]: floodedWith('reads'),
  'a deployment in a flood': deployed,
  ...hanging,
};

// The requests of other teams

/** Runs the load of the other teams until what `begin` starts is over. `own`: its result. */
export const watchOthers = async <Own>(cell: Cell, begin: () => Promise<Own>) => {
  const { installation, attacker, origin, certificate, http } = cell;
  await using opened = new AsyncDisposableStack();
  const agent = agentFor(certificate, undefined, { http });
  opened.defer(() => agent.destroy());
  await openConnections(origin, agent, 32);
  const times: number[] = [];
  const happening = begin();
  const outcome = await runLoad({
    send: sendOn(origin, agent),
    teams: installation.seeded.teams.filter((team) => team !== attacker),
    catalog: installation.seeded.catalog,
    requests: 2 * perSecond,
    until: happening,
    perSecond,
    onAnswer: (ms) => void times.push(ms),
  });
  const losses = await installation.check(outcome.posted);
  return { own: await happening, outcome, losses, p99: quantile(times, 0.99) };
};

/** Prints a line for a cell. */
const tryCell = async (name: string, trouble: Trouble, cell: Cell): Promise<void> => {
  const { own, outcome, losses, p99 } = await watchOthers(cell, () => trouble(cell));
  const failed = outcome.failedAt.length + outcome.wrongReads;
  const lost = losses.rowsLost + losses.eventsLost + losses.deliveriesLost;
  const felt = `${outcome.requests} requests of others, p99 ${p99.toFixed(0)} ms; failed or lost`;
  atMost(`${name}: ${felt}`, failed + lost, 0);
  atMost(
    '  longest time from an event of others to its delivery in seconds',
    losses.slowestMs / 1000,
    maxSecondsToDelivery,
  );
  for (const [how, times] of Object.entries(outcome.failures)) console.log(`    failed: ${times} × ${how}`);
  console.log(`    the team itself: ${own.itself}`);
  if (own.secondsToSync !== undefined)
    atMost('  seconds until the CRM of another team was read', own.secondsToSync, maxSecondsToSync);
};

/** The parts that are the same in all cells of the table. */
type Ground = Pick<Cell, 'installation' | 'platform' | 'attacker' | 'neighbour'>;

/** A company account of the team whose provider hangs. */
const setUpProvider = async ({ platform, installation, attacker: { tenantId } }: Ground): Promise<void> => {
  const createdAt = new Date();
  const issuer = installation.receiver.urlFor('hang', 'provider', 'one host');
  const clientSecret = platform.vault.seal('company sign-in', tenantId, 'a client secret');
  await platform.database.prisma.companySignIn.create({
    data: { tenantId, issuer, clientId: 'a client', clientSecret, createdAt, updatedAt: createdAt },
  });
  await addDomain(await actIn(platform, { kind: 'operator' }, tenantId), domain, { proven: true });
};

export const openGround = async (
  opened: AsyncDisposableStack,
  { proxy, apis }: { proxy: ProxyName; apis: number },
): Promise<Ground> => {
  const { installation } = await openAsShipped(opened, 'overload', {
    proxy,
    sizes,
    apis,
    start: startPlain,
    settings: { SIGN_IN_RATE_PER_MIN: '10000' }, // everybody is at ten addresses
  });
  const foundation = await openFoundation(readConfig({ ...installation.environment, DATABASE_POOL: '4' }));
  opened.defer(() => foundation.close());
  const [attacker, neighbour] = [pick(installation.seeded.teams, 0), pick(installation.seeded.teams, 1)];
  const ground = { installation, platform: foundation.platform, attacker, neighbour };
  await setUpProvider(ground);
  await makeLargeCases(installation.send, attacker);
  return ground;
};

export const run: Try = async (opened, { proxy }) => {
  const names: readonly ProxyName[] = proxy === undefined ? proxyNames : [proxy];
  const ground = await openGround(opened, { proxy: pick(names, 0), apis: 3 });
  const apis = ground.installation.service.processes.filter(({ role }) => role === 'api');
  for (const name of names) {
    for (const processes of [apis.slice(0, 2), apis]) {
      await using front = await startProxy(
        name,
        processes.map(({ port }) => port),
      );
      const { origin, certificate } = front;
      for (const http of ['HTTP/1.1', 'HTTP/2'] as const) {
        for (const [what, trouble] of Object.entries(troubles)) {
          const cell = { ...ground, origin, certificate, http, processes };
          await tryCell(`${name}, ${http}, ${processes.length} processes, ${what}`, trouble, cell);
        }
      }
    }
  }
};
