// PostgreSQL on three nodes with patroni and etcd, all on this machine, with the configuration that docs/deploy/patroni
// ships: only addresses, folders and passwords are replaced.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { randomText } from '../../src/core/crypto.ts';
import { freePort, killAtExit } from '../kit/processes.ts';
import { accountOf, createFolderFor, requireProgram, type Account } from '../kit/system.ts';

export interface PatroniNode {
  readonly name: string;
  /** The URL of a database on this node. */
  readonly urlOf: (database: string) => string;
  readonly start: () => void;
  /** Kills patroni and all processes of its PostgreSQL at once, as a power failure would. */
  readonly kill: () => Promise<void>;
  /** Kills only the processes of PostgreSQL. Patroni starts it again, as what the cluster then needs. */
  readonly killPostgres: () => void;
  /** Reads Patroni's `/metrics`. */
  readonly metrics: () => Promise<string>;
}

export interface PatroniCluster {
  /** The URL, with all nodes as hosts, of a database that does not exist yet. */
  readonly databaseUrl: string;
  readonly nodes: readonly PatroniNode[];
  /** Resolves when there is a primary other than `former`. */
  readonly untilPrimary: (former?: PatroniNode) => Promise<PatroniNode>;
  /** Makes a standby the primary in place of this one, as in planned maintenance. */
  readonly switchOver: (primary: PatroniNode) => Promise<void>;
  /** Resolves when the primary has two running standbys, of which one is synchronous if the cluster is. */
  readonly untilWhole: () => Promise<void>;
}

const Status = z.object({ members: z.array(z.object({ name: z.string(), role: z.string(), state: z.string() })) });
type Member = z.output<typeof Status>['members'][number];

const pollIntervalMs = 200;
const patienceMs = 120_000;

const names = ['db1', 'db2', 'db3'] as const;

/** The postmaster in a data folder and its children. */
const serverProcesses = (data: string): number[] => {
  const file = join(data, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  if (!(pid > 0) || !existsSync(`/proc/${pid}`)) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number);
  return [pid, ...children.filter((child) => child > 0)];
};

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
};

interface StartOptions {
  folder: string;
  account: Account;
}

/** Starts a program that is killed at the end, and writes its output to a file of the folder. */
const launch = (program: string, words: readonly string[], name: string, { folder, account }: StartOptions) => {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };
  // In a session of its own, so that Ctrl-C reaches the try alone.
  return spawn(program, words, { ...account, cwd: folder, env, detached: true, stdio: ['ignore', log, log] });
};

const startEtcd = async (opened: AsyncDisposableStack, options: StartOptions): Promise<number> => {
  const program = await requireProgram('/usr/bin/etcd', 'etcd-server');
  const data = await createFolderFor(options.account, join(options.folder, 'etcd'));
  const [port, peerPort] = [await freePort(), await freePort()];
  const [own, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const words = {
    name: 'etcd1',
    'data-dir': join(data, 'data'),
    'listen-client-urls': own,
    'advertise-client-urls': own,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `etcd1=${peers}`,
  };
  const etcd = launch(
    program,
    Object.entries(words).map(([name, value]) => `--${name}=${value}`),
    'etcd',
    options,
  );
  const ended = killAtExit(etcd);
  opened.defer(async () => {
    etcd.kill('SIGKILL');
    await ended;
  });
  return port;
};

/** Starts the nodes, and waits until they are complete. They are killed at the end. */
export const startPatroni = async (
  opened: AsyncDisposableStack,
  folder: string,
  { synchronous }: { synchronous: boolean },
): Promise<PatroniCluster> => {
  const postgres = await requireProgram('/usr/lib/postgresql/*/bin/postgres', 'postgresql');
  const patroni = await requireProgram('/usr/bin/patroni', 'patroni');
  const account = accountOf('postgres');
  const etcdPort = await startEtcd(opened, { folder, account });
  const shipped = await readFile(new URL('../../docs/deploy/patroni/patroni.yml', import.meta.url), 'utf8');
  const password = randomText(24);

  const makeNode = async (name: string): Promise<PatroniNode & { restPort: number; port: number }> => {
    const home = await createFolderFor(account, join(folder, name));
    const data = join(home, 'data');
    const [restPort, port] = [await freePort(), await freePort()];
    const configuration = shipped
      .replace('name: db1', `name: ${name}`)
      .replace(/hosts: \[.*\]/, `hosts: [127.0.0.1:${etcdPort}]`)
      .replaceAll('10.0.0.1:8008', `127.0.0.1:${restPort}`)
      .replaceAll('10.0.0.1:5432', `127.0.0.1:${port}`)
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replace(/data_dir: .*/, `data_dir: ${data}\n  pgpass: ${join(home, 'pgpass')}`)
      .replace(/bin_dir: .*/, `bin_dir: ${dirname(postgres)}`)
      .replace('max_connections: 200', "max_connections: 200\n        unix_socket_directories: ''")
      .replace('synchronous_mode: true', `synchronous_mode: ${synchronous}`)
      .replaceAll('change-me', password);
    const file = join(folder, `${name}.yml`);
    await writeFile(file, configuration);
    let running: ChildProcess | undefined;
    const killPostgres = () => {
      for (const pid of serverProcesses(data)) killIfThere(pid);
    };
    const killNow = () => {
      running?.kill('SIGKILL');
      killPostgres();
    };
    const kill = async () => {
      const ended = running && once(running, 'exit');
      killNow();
      await ended;
      running = undefined;
      while (serverProcesses(data).length > 0) await sleep(pollIntervalMs);
    };
    process.once('exit', killNow);
    opened.defer(async () => {
      await kill();
      process.off('exit', killNow);
    });
    return {
      name,
      restPort,
      port,
      urlOf: (database) => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`,
      start: () => void (running = launch(patroni, [file], name, { folder, account })),
      kill,
      killPostgres,
      metrics: async () => (await fetch(`http://127.0.0.1:${restPort}/metrics`)).text(),
    };
  };
  const nodes = await Promise.all(names.map(makeNode));
  for (const node of nodes) node.start();

  /** The state of the cluster, from the first node that answers. */
  const members = async (): Promise<Member[]> => {
    const ask = async ({ restPort }: { restPort: number }) => {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) });
      return Status.parse(await answer.json()).members;
    };
    return Promise.any(nodes.map(ask)).catch(() => []);
  };
  const until = async <T>(what: string, find: (found: Member[]) => T | undefined): Promise<T> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const all = await members();
      const found = find(all);
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw new Error(`patroni has no ${what}: ${JSON.stringify(all)}`);
      await sleep(pollIntervalMs);
    }
  };
  const isPrimary = ({ role, state }: Member) => role === 'leader' && state === 'running';
  const isStandby = ({ role, state }: Member) =>
    ['replica', 'sync_standby'].includes(role) && ['running', 'streaming'].includes(state);

  const cluster: PatroniCluster = {
    nodes,
    databaseUrl: `postgresql://postgres:${password}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/team_api?target_session_attrs=read-write`,
    untilPrimary: (former) =>
      until('new primary', (all) => {
        const primary = all.find((member) => isPrimary(member) && member.name !== former?.name);
        return nodes.find(({ name }) => name === primary?.name);
      }),
    switchOver: async ({ name }) => {
      const { restPort = 0 } = nodes.find((node) => node.name === name) ?? {};
      const body = JSON.stringify({ leader: name });
      const answer = await fetch(`http://127.0.0.1:${restPort}/switchover`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`patroni refuses to switch over: ${await answer.text()}`);
    },
    untilWhole: () =>
      until('two standbys', (all) => {
        const isSafe = !synchronous || all.some(({ role }) => role === 'sync_standby');
        return isSafe && all.some(isPrimary) && all.filter(isStandby).length === names.length - 1 ? true : undefined;
      }).then(() => undefined),
  };
  await cluster.untilWhole();
  return cluster;
};
