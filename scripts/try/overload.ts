// Sends requests of other teams while one team floods the service, also during a deployment, and while a receiver, a
// provider of sign-ins or a CRM hangs. None of these requests may fail. Behind each proxy (or that of `--proxy`), by
// HTTP/1.1 and HTTP/2, with two and with three processes. With `--cells` on a distributed database: behind one proxy,
// with two processes, and apart for the teams on the same node and on the other one.

import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { makeId } from '../../src/core/ids.ts';
import { addDomain } from '../../src/modules/company-sign-in/service.ts';
import { connect, disconnect } from '../../src/modules/crm/service.ts';
import type { Platform, Team } from '../../src/platform/team.ts';
import { actIn } from '../../src/platform/team-row.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import {
  agentFor,
  makeSend,
  runLoad,
  sendOn,
  type Answer,
  type HttpVersion,
  type LoadOutcome,
  type Wanted,
} from '../kit/clients.ts';
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
import { placesOfTeams } from '../kit/citus.ts';
import { connectTo } from '../kit/database.ts';
import { atMost, quantile } from '../kit/figures.ts';
import type { Installation, Try } from '../kit/installation.ts';
import type { Losses } from '../kit/losses.ts';
import { proxyNames, startProxy, type ProxyName } from '../kit/proxy.ts';
import { pick, type SeededTeam } from '../kit/seed.ts';
import type { ServiceProcess } from '../kit/service.ts';
import { onOneMachine, onThreeMachines, openAsShipped, startPlain, type AsShipped } from './as-shipped.ts';
import { restartAll } from './rolling.ts';

const perSecond = 20;
const sizes = { teams: 20, membersEach: 20, keysEach: 120, trainingsEach: 20 };

/** How long something hangs; the service waits for a provider for 5 seconds, and for a receiver for 10. */
const hangingMs = 11_000;

/** Less than the time that a receiver may take: without shares, deliveries of others would wait for as long. */
export const maxSecondsToDelivery = 8;

const domain = 'hanging.example';

/** Other teams than the attacker's. */
interface Others {
  /** Where they are, as it is printed; empty on a plain database. */
  readonly where: string;
  readonly teams: readonly SeededTeam[];
}

/** One field of the table: a proxy, so many processes, a version of HTTP. */
export interface Field {
  installation: AsShipped;
  platform: Platform;
  /** The origin of the proxy. */
  origin: string;
  certificate: string;
  http: HttpVersion;
  /** The processes behind the proxy. */
  processes: readonly ServiceProcess[];
  attacker: SeededTeam;
  /** The other teams on the attacker's node, and then those on the other nodes. A plain database is one node. */
  others: readonly [Others, ...Others[]];
}

/** Makes trouble for one team, or some. */
type Trouble = (field: Field) => Promise<{
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
  async ({ installation: { databaseUrl }, attacker, ...crowd }) => ({
    itself: inWords(await floodOf(kind, { ...crowd, team: attacker, databaseUrl })),
  });

const deployed: Trouble = async (field) => {
  const over = new AbortController();
  const flooding = (async () => {
    const seen: string[] = [];
    while (!over.signal.aborted) seen.push((await floodedWith('transactions')(field)).itself);
    return { itself: `${seen.length} floods, the last: ${seen.at(-1)}` };
  })();
  await restartAll(field.processes, { rounds: 1 }).finally(() => over.abort());
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

const teamOf = ({ platform }: Field, { tenantId }: SeededTeam): Promise<Team> =>
  actIn(platform, { kind: 'operator' }, tenantId);

/** Teams whose CRM hangs, with as many connections as they may have: without a share for each they would fill both workers. */
const silentTeams = 4;
const connectionsEach = 10;
/** A worker looks for what is due each second. Without a share the team would wait for a time-out of the others. */
const maxSecondsToSync = 8;

const crmHangs: Trouble = async (field) => {
  const { installation, attacker, others } = field;
  // All on one node, because a worker has slots for each node.
  const [neighbour, ...near] = others[0].teams;
  if (!neighbour || near.length + 1 < silentTeams) throw new Error(`The node has only ${near.length + 2} teams`);
  const connectCrm = async (team: Team, conduct: 'hang' | 'feed') => {
    const url = installation.receiver.urlFor(conduct, makeId(), 'one host');
    return (await connect(team, { provider: 'feed', url, token: 'a-token' }, { tries: false })).connectionId;
  };
  const silent: { readonly team: Team; readonly id: string }[] = [];
  const seeded = [attacker, ...near].slice(0, silentTeams);
  for (const team of await Promise.all(seeded.map((one) => teamOf(field, one))))
    for (let made = 0; made < connectionsEach; made += 1) silent.push({ team, id: await connectCrm(team, 'hang') });
  const other = await teamOf(field, neighbour);
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

/** What other teams felt. */
interface Felt {
  readonly where: string;
  readonly outcome: LoadOutcome;
  readonly losses: Losses;
  readonly p99: number;
}

const clients = 32;

/** Runs the load of the other teams until what `begin` starts is over. `own`: its result. */
export const watchOthers = async <Own>(
  { installation, others, origin, certificate, http }: Field,
  begin: () => Promise<Own>,
): Promise<{ own: Own; felt: readonly Felt[] }> => {
  await using opened = new AsyncDisposableStack();
  const agent = agentFor(certificate, undefined, { http });
  opened.defer(() => agent.destroy());
  await openConnections(origin, agent, clients);
  const happening = begin();
  const share = perSecond / others.length;
  const loads = others.map(async ({ where, teams }) => {
    const times: number[] = [];
    const outcome = await runLoad({
      send: sendOn(origin, agent),
      teams,
      catalog: installation.seeded.catalog,
      requests: 2 * share,
      until: happening,
      perSecond: share,
      clients: clients / others.length,
      onAnswer: (ms) => void times.push(ms),
    });
    return { where, outcome, p99: quantile(times, 0.99) };
  });
  const felt: Felt[] = [];
  for (const { outcome, ...load } of await Promise.all(loads))
    felt.push({ ...load, outcome, losses: await installation.check(outcome.posted) });
  return { own: await happening, felt };
};

/** Prints the lines of a field. */
const tryField = async (name: string, trouble: Trouble, field: Field): Promise<void> => {
  const { own, felt } = await watchOthers(field, () => trouble(field));
  for (const { where, outcome, losses, p99 } of felt) {
    const failed = outcome.failedAt.length + outcome.wrongReads;
    const lost = losses.rowsLost + losses.eventsLost + losses.deliveriesLost;
    const requests = `${outcome.requests} requests of others${where}, p99 ${p99.toFixed(0)} ms; failed or lost`;
    atMost(`${name}: ${requests}`, failed + lost, 0);
    atMost(
      '  longest time from an event of theirs to its delivery in seconds',
      losses.slowestMs / 1000,
      maxSecondsToDelivery,
    );
    for (const [how, times] of Object.entries(outcome.failures)) console.log(`    failed: ${times} × ${how}`);
  }
  console.log(`    the team itself: ${own.itself}`);
  if (own.secondsToSync !== undefined)
    atMost('  seconds until the CRM of another team was read', own.secondsToSync, maxSecondsToSync);
};

/** The parts that are the same in all fields of the table. */
type Ground = Pick<Field, 'installation' | 'platform' | 'attacker' | 'others'>;

/** The attacker, on the node with the most teams, and the others. */
const chooseAttacker = async (
  { databaseUrl, seeded }: Installation,
  { cells }: { cells: boolean },
): Promise<Pick<Field, 'attacker' | 'others'>> => {
  const places = cells ? await placesOfTeams(databaseUrl, seeded.teams) : [];
  const nodes = Map.groupBy(seeded.teams, ({ tenantId }) => places.find(({ team }) => team === tenantId)?.port);
  const [[attacker, ...near] = [], ...far] = [...nodes.values()].toSorted((a, b) => b.length - a.length);
  if (!attacker) throw new Error('There are no teams');
  const onOther = { where: ' on the other node', teams: far.flat() };
  return { attacker, others: cells ? [{ where: ' on its node', teams: near }, onOther] : [{ where: '', teams: near }] };
};

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
  { proxy, apis, cells = false }: { proxy: ProxyName; apis: number; cells?: boolean | undefined },
): Promise<Ground> => {
  const { installation } = await openAsShipped<unknown>(opened, 'overload', {
    proxy,
    sizes,
    apis,
    make: cells ? onThreeMachines : onOneMachine(startPlain),
    settings: { SIGN_IN_RATE_PER_MIN: '10000' }, // everybody is at ten addresses
  });
  const foundation = await openFoundation(readConfig({ ...installation.environment, DATABASE_POOL: '4' }));
  opened.defer(() => foundation.close());
  const chosen = await chooseAttacker(installation, { cells });
  const ground = { installation, platform: foundation.platform, ...chosen };
  await setUpProvider(ground);
  await makeLargeCases(installation.send, chosen.attacker);
  return ground;
};

interface Table {
  readonly proxies: readonly ProxyName[];
  /** How many API processes there are, one number for each field. */
  readonly numbers: readonly number[];
}

const onPlain: Table = { proxies: proxyNames, numbers: [2, 3] };
/** One proxy is enough here: what a proxy does depends on no database. */
const onCells: Table = { proxies: ['nginx'], numbers: [2] };

export const run: Try = async (opened, { proxy, cells = false }) => {
  const { proxies, numbers } = cells ? onCells : onPlain;
  const names = proxy === undefined ? proxies : [proxy];
  const ground = await openGround(opened, { proxy: pick(names, 0), apis: Math.max(...numbers), cells });
  const apis = ground.installation.service.processes.filter(({ role }) => role === 'api');
  for (const name of names) {
    for (const processes of numbers.map((number) => apis.slice(0, number))) {
      await using front = await startProxy(
        name,
        processes.map(({ port }) => port),
      );
      const { origin, certificate } = front;
      for (const http of ['HTTP/1.1', 'HTTP/2'] as const) {
        for (const [what, trouble] of Object.entries(troubles)) {
          const field = { ...ground, origin, certificate, http, processes };
          await tryField(`${name}, ${http}, ${processes.length} processes, ${what}`, trouble, field);
        }
      }
    }
  }
};
