// Measures how a team is affected while another team, or a client without an account, overloads the service behind the
// shipped HAProxy configuration: latency of its requests, failures, memory of the API process, and whether that process
// restarted. Every number is printed beside its limit; if one limit is missed, the bench ends with exit code 1.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';
import type { Agent } from 'undici';
import { makeId } from '../../src/core/ids.ts';
import { hashPassword } from '../../src/core/password.ts';
import { basePath } from '../../src/core/product.ts';
import { agentFor, sendJson, type Wanted } from '../kit/clients.ts';
import { connectTo, openBenchDatabase } from '../kit/database.ts';
import { atMost, below, median, quantile } from '../kit/figures.ts';
import { startServer, type Server } from '../kit/processes.ts';
import { installProxy, startProxy } from '../kit/proxy.ts';
import { aCombination, pick, seedTeams, type Seeded, type SeededTeam } from '../kit/seed.ts';

const seconds = 30;

interface Answered {
  status: number;
  ms: number;
  cookies: string;
}

interface Stage {
  /** The origin of the proxy. */
  readonly origin: string;
  readonly certificate: string;
  /** Sends a request through the proxy; `ms` counts from `dueAt`. */
  readonly call: (wanted: Wanted, dueAt?: number) => Promise<Answered>;
  readonly api: Server;
  readonly client: pg.Client;
  readonly attacker: SeededTeam;
  readonly neighbour: SeededTeam;
  readonly catalog: Seeded['catalog'];
}

/** Sends a request with the header `origin`, which the app's own requests have. */
const send = (origin: string, dispatcher: Agent, wanted: Wanted) =>
  sendJson(origin, dispatcher, { ...wanted, headers: { origin, ...wanted.headers } });

const caller = (origin: string, certificate: string): Stage['call'] => {
  const dispatcher = agentFor(certificate);
  return async (wanted, dueAt = performance.now()) => {
    const answer = await send(origin, dispatcher, wanted);
    await answer.body.dump({ limit: 10_000_000 });
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0]);
    return { status: answer.statusCode, ms: performance.now() - dueAt, cookies: cookies.join('; ') };
  };
};

/**
 * Sends the neighbour's requests at a fixed rate, whether or not earlier ones were answered. So a pause of one second
 * in the service delays all requests of that second, not only one.
 */
const probe = async ({ call, neighbour }: Stage, path: string, duration: number) => {
  const started = performance.now();
  const asked: Promise<Answered>[] = [];
  for (let index = 0; index < 40 * duration; index += 1) {
    const dueAt = started + index * 25;
    await sleep(Math.max(0, dueAt - performance.now()));
    const failed = () => ({ status: 0, ms: performance.now() - dueAt, cookies: '' });
    asked.push(call({ path, key: pick(neighbour.keys, index) }, dueAt).catch(failed));
  }
  const answers = await Promise.all(asked);
  const times = answers.map(({ ms }) => ms);
  const failures = answers.filter(({ status }) => status !== 200).length;
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { p50, p99, longest: Math.max(...times), count: times.length, failures };
};

/** The most memory in MB that a running process ever had. Linux only: elsewhere 0. */
const peakMegabytes = (pid: number): number => {
  if (process.platform !== 'linux') return 0;
  const [, kilobytes = ''] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
};

/** A client that sends one request after another until the attack ends. */
interface Client extends Wanted {
  /** Used in turn, so that none reaches its limit. */
  keys?: readonly string[];
  /** The address that it connects from. */
  from: string;
  /** Whether it reads only one kilobyte of its answer in a second. */
  isSlow?: boolean;
}

interface Attack {
  origin: string;
  certificate: string;
  /** How long the attack lasts. 0: each client sends one request. */
  seconds: number;
  clients: readonly Client[];
}

/** Carries an attack out, and returns how often each answer came. */
const attack = async ({ origin, certificate, seconds, clients }: Attack): Promise<Record<string, number>> => {
  const ends = performance.now() + seconds * 1_000;
  const tally: Record<string, number> = {};
  const count = (answer: string | number): void => void (tally[answer] = (tally[answer] ?? 0) + 1);

  const sendOn = async (client: Client, dispatcher: Agent): Promise<void> => {
    for (let sent = 0; sent === 0 || performance.now() < ends; sent += 1) {
      try {
        const key = client.keys && pick(client.keys, sent);
        const { statusCode, body } = await send(origin, dispatcher, { ...client, key });
        if (client.isSlow) {
          for await (const chunk of body) {
            await sleep(Math.max(0, Math.min(chunk.length, ends - performance.now())));
            if (performance.now() >= ends) break;
          }
          count('slow reader ended');
        } else {
          await body.dump({ limit: 1_000_000_000 });
          count(statusCode);
        }
        if (statusCode !== 200) await sleep(20);
      } catch (error) {
        count(error instanceof Error && 'code' in error ? String(error.code) : String(error));
      }
    }
  };
  const groups = Object.entries(Object.groupBy(clients, ({ from }) => from));
  await Promise.all(
    groups.flatMap(([from, group = []]) => {
      const dispatcher = agentFor(certificate, from);
      return group.map((client) => sendOn(client, dispatcher));
    }),
  );
  return tally;
};

/** Attacks from a thread of its own, so that the CPU time of sending does not count as the service's latency. */
const carryOut = async (attack: Attack): Promise<string> => {
  const [tally] = await once(new Worker(import.meta.filename, { workerData: attack }), 'message');
  return JSON.stringify(tally);
};

/** Measures the neighbour's `GET path` with and without the attack. */
const measureNeighbour = async (
  stage: Stage,
  { path, p99, ...attack }: Pick<Attack, 'seconds' | 'clients'> & { path: string; p99: number },
): Promise<void> => {
  const { origin, certificate, api } = stage;
  const calm = await probe(stage, path, 5);
  console.log(`  without: p50 ${calm.p50.toFixed(1)} ms, p99 ${calm.p99.toFixed(1)} ms`);
  const [seen, tally] = await Promise.all([probe(stage, path, seconds), carryOut({ origin, certificate, ...attack })]);
  console.log(`  attack:  ${tally}`);
  console.log(`  with:    p50 ${seen.p50.toFixed(1)} ms, longest ${seen.longest.toFixed(0)} ms of ${seen.count}`);
  below(`p99 of GET ${path}`, seen.p99, p99, ' ms');
  atMost('failed requests', seen.failures, 0);
  below('memory of the API process', api.isRunning() ? peakMegabytes(api.pid) : NaN, 700, ' MB');
  atMost('restarts', api.isRunning() ? 0 : 1, 0);
};

const pages = async (stage: Stage): Promise<void> => {
  const { attacker, client, call } = stage;
  console.log('pages: 400 of the largest cases, 40 parallel reads of the list and 20 slow readers');
  const { rows } = await client.query<{ user_id: string }>(
    `select user_id from member where tenant_id = $1 and status = 'active' limit 1`,
    [attacker.tenantId],
  );
  const long = (letter: string) => ({ text: letter.repeat(64 * 1024 - 100) });
  const body = { user_id: rows[0]?.user_id, title: 'A case', fields: long('x'), external_ref: long('y') };
  for (let made = 0; made < 400; made += 1) {
    const { status } = await call({ path: `${basePath}/cases`, key: pick(attacker.keys, made), body });
    if (status !== 201) throw new Error(`case ${made}: ${status}`);
  }
  const reader = (from: string, isSlow: boolean) => (_: unknown, index: number) => ({
    path: `${basePath}/cases?limit=200`,
    headers: { 'accept-encoding': isSlow ? 'identity' : 'gzip, br' },
    keys: attacker.keys.map((_key, at) => pick(attacker.keys, at + index * 3)),
    from,
    isSlow,
  });
  const clients = [
    ...Array.from({ length: 40 }, reader('127.0.2.1', false)),
    ...Array.from({ length: 20 }, reader('127.0.2.1', true)),
  ];
  await measureNeighbour(stage, { path: `${basePath}/me`, p99: 250, seconds, clients });
};

const signIn = '/trpc/entrance/entrance.signIn';

const signIns = async (stage: Stage): Promise<void> => {
  console.log('sign-ins: 1,000 anonymous ones from 50 addresses at once');
  const clients = Array.from({ length: 1_000 }, (_, index) => ({
    path: signIn,
    body: { email: `stranger-${index}@example.com`, password: 'not the password' },
    from: `127.0.1.${1 + (index % 50)}`,
  }));
  await measureNeighbour(stage, { path: `${basePath}/users?limit=50`, p99: 500, seconds: 0, clients });
};

const catalog = async (stage: Stage): Promise<void> => {
  const { attacker, client, call } = stage;
  console.log('catalog: 3 members read the largest catalog in the app, six times at once each');
  await client.query(
    `insert into catalog_item (id, tenant_id, dimension, key, name_de, name_en, created_at)
     select gen_random_uuid(), $1, (enum_range(null::catalog_dimension))[1 + i % 4], 'key-' || i, repeat('ä', 100) || i, repeat('x', 100) || i, now()
       from generate_series(1, 1000) as i`,
    [attacker.tenantId],
  );
  const { rows } = await client.query<{ id: string; email: string }>(
    `select p.id, p.email
       from member m
       join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
       join person p on p.id = u.person_id
      where m.tenant_id = $1 and m.status = 'active' and m.role = 'member' limit 3`,
    [attacker.tenantId],
  );
  const password = 'a long enough password';
  const hash = await hashPassword(password);
  const clients: Client[] = [];
  for (const [index, { id, email }] of rows.entries()) {
    await client.query(
      `insert into credential (id, person_id, provider_id, account_id, password, created_at, updated_at)
       values ($1, $2::uuid, 'credential', $2::text, $3, now(), now())`,
      [makeId(), id, hash],
    );
    const { cookies: cookie } = await call({ path: signIn, body: { email, password } });
    const headers = { cookie, 'x-team': attacker.tenantId };
    const reader = { path: '/trpc/app/catalog.choices?input=%7B%7D', headers, from: `127.0.2.${index + 1}` };
    clients.push(...Array.from({ length: 6 }, () => reader));
  }
  await measureNeighbour(stage, { path: `${basePath}/me`, p99: 250, seconds, clients });
};

/** A member with 10,000 assignments and as many trainings is removed while the team sends 40 writes at once. */
const removal = async (stage: Stage): Promise<void> => {
  const { attacker, neighbour, client, call } = stage;
  console.log('removal: a member with 10,000 assignments and trainings, 40 writes of the team at once');
  const [victim = ''] = attacker.members.slice(-1);
  await client.query(
    `with m as (select id, user_id from member where tenant_id = $1 and id = $2),
     given as (
       insert into assignment (tenant_id, id, member_id, status, title, created_at, updated_at)
       select $1, gen_random_uuid(), m.id, 'open', 'An assignment', now() - i * interval '1 second', now() from m, generate_series(1, 10000) i)
     insert into training (tenant_id, id, user_id, status, source, created_at, updated_at)
     select $1, gen_random_uuid(), m.user_id, 'running', 'app', now() - i * interval '1 second', now() from m, generate_series(1, 10000) i`,
    [attacker.tenantId, victim],
  );
  await client.query('analyze');
  const write = (team: SeededTeam, index: number) => {
    const body = { member_id: pick(team.members, 1), title: 'Work', ...aCombination(index, stage.catalog) };
    return call({ path: `${basePath}/assignments`, key: pick(team.keys, index), body });
  };
  const removalEnd = new AbortController();
  const neighbourWrites = async () => {
    const seen: Answered[] = [];
    for (let index = 0; !removalEnd.signal.aborted || index < 200; index += 1) seen.push(await write(neighbour, index));
    return seen;
  };
  const removing = call({ method: 'DELETE', path: `${basePath}/users/${victim}`, key: pick(attacker.keys, 0) });
  const own = Promise.all(Array.from({ length: 40 }, (_, index) => write(attacker, index)));
  const others = neighbourWrites();
  const [removed, written] = await Promise.all([removing, own]);
  removalEnd.abort();
  const theirs = await others;
  const done = written.filter(({ status }) => status === 201).length;
  console.log(`  DELETE answered ${removed.status}; the team's own 40 writes: ${done} done`);
  below('DELETE of the member', removed.ms, 2_000, ' ms');
  atMost('failed writes of the other team', theirs.filter(({ status }) => status !== 201).length, 0);
  const times = theirs.map(({ ms }) => ms);
  below('p99 of the other team’s writes', quantile(times, 0.99), 1_000, ' ms');
};

/** Exports a list until the returned function is called. This function returns how many megabytes came. */
const exportOn = async ({ origin, certificate, attacker }: Stage, path: string): Promise<() => number> => {
  const { statusCode, body } = await send(origin, agentFor(certificate, '127.0.2.1'), { path, key: attacker.keys[0] });
  if (statusCode !== 200) throw new Error(`the export was answered with ${statusCode}`);
  let bytes = 0;
  body.on('data', (part: Buffer) => (bytes += part.length));
  body.on('error', () => {});
  return () => {
    body.destroy();
    return bytes / 1_000_000;
  };
};

/** While one team exports, others wait at most one and a half times as long. Both are measured in turn. */
const exports = async (stage: Stage): Promise<void> => {
  const { attacker, client } = stage;
  console.log('exports: a team exports 300,000 trainings with evaluations');
  await client.query(
    `with people as (select array_agg(user_id) as ids from member where tenant_id = $1 and status = 'active'),
     t as (
       insert into training (tenant_id, id, user_id, status, source, created_at, finished_at, evaluated_at, updated_at)
       select $1, gen_random_uuid(), ids[1 + n % array_length(ids, 1)], 'scored', 'app', at, at, at, at
         from people, generate_series(1, 300000) n, lateral (select now() - n * interval '10 seconds' as at) times
       returning tenant_id, id)
     insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling,
                             value_argument, total, tips, strongest, bytes, created_at)
     select tenant_id, id, 10, 20, 30, 40, 50, 30, jsonb_build_array(jsonb_build_object('issue', repeat('a', 100), 'moment', repeat('b', 100),
            'principle', repeat('c', 100), 'rewrite', repeat('d', 100), 'impact', repeat('e', 100))), repeat('f', 100), 700, now() from t`,
    [attacker.tenantId],
  );
  await client.query('vacuum analyze');
  const path = `${basePath}/users?limit=50`;
  await probe(stage, path, 5);
  const ratios: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const calm = await probe(stage, path, 5);
    const stop = await exportOn(stage, `${basePath}/exports/trainings?include=evaluation`);
    const seen = await probe(stage, path, 5);
    const rate = (stop() / 5).toFixed(1);
    ratios.push(seen.p99 / calm.p99);
    console.log(`  p99 without ${calm.p99.toFixed(1)} ms, with ${seen.p99.toFixed(1)} ms; ${rate} MB a second`);
  }
  below(`p99 of GET ${path} while a team exports, as a multiple (median)`, median(ratios), 1.5);
};

const parts = { pages, 'sign-ins': signIns, catalog, removal, exports };

/** `npm run bench -- abuse PART` measures only this part. */
const wanted = process.argv[3] ?? '';

export const run = async (): Promise<void> => {
  const missing = await installProxy('haproxy');
  if (missing !== undefined) throw new Error(`The bench runs behind HAProxy (apt-get install haproxy): ${missing}`);
  await using database = await openBenchDatabase();
  await using client = await connectTo(database.url);
  const seeded = await seedTeams(database.url, { teams: 2, membersEach: 200, keysEach: 160, trainingsEach: 400 });
  const [attacker, neighbour] = [pick(seeded.teams, 0), pick(seeded.teams, 1)];
  for (const [name, measure] of Object.entries(parts).filter(([part]) => part.includes(wanted))) {
    await using api = await startServer(['src/main.ts', 'api'], { DATABASE_URL: database.url, TRUST_PROXY: '1' });
    await using proxy = await startProxy('haproxy', [api.port]);
    const call = caller(proxy.origin, proxy.certificate);
    try {
      await measure({ ...proxy, call, api, client, attacker, neighbour, catalog: seeded.catalog });
    } catch (error) {
      console.log(`  ${name} ended early: ${String(error)}`);
      process.exitCode = 1;
    }
    console.log('');
  }
};

if (!isMainThread) parentPort?.postMessage(await attack(workerData), []);
