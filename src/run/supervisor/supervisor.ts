import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { totalmem } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { makeLogger } from '../../core/log.ts';
import { onStopSignal, roles } from './process.ts';
import type { Role } from './process.ts';

/** Each process serves its metrics on a port of its own: the worker on the port after METRICS_PORT, or both on free ports. */
export const workerMetricsPort = (role: Role): Readonly<Record<string, string>> => {
  const port = Number(process.env['METRICS_PORT'] ?? '');
  return role === 'worker' && Number.isInteger(port) && port > 0 ? { METRICS_PORT: String(port + 1) } : {};
};

/** The log line for a process that ended. */
export const endedLine = ({ role, childPid, code, signal, againInMs }: Ended) =>
  [
    { child: role, child_pid: childPid, code, signal, again_in_ms: againInMs },
    `the ${role} process ended and is started again`,
  ] as const;

/** Runs each role in a process of its own until a stop signal. */
export const superviseAll = async (): Promise<void> => {
  // The processes report an invalid level.
  const level = /^(fatal|error|warn|info|debug|silent)$/.exec(process.env['LOG_LEVEL'] ?? '')?.[0] ?? 'info';
  const log = makeLogger(level, 'supervisor');
  const supervisor = makeSupervisor({
    roles,
    environment: workerMetricsPort,
    onEnded: (ended) => log.warn(...endedLine(ended)),
  });
  const stop = async () => {
    await supervisor.stop();
    log.flush();
  };
  onStopSignal(stop, () => supervisor.kill());
  if (!(await supervisor.start())) {
    await supervisor.stop();
    process.exitCode = 1;
  }
};

const program = fileURLToPath(new URL('../../main.ts', import.meta.url));

/**
 * How long it takes until an ended process is started again, in milliseconds: `first`, then twice as long each time, up to `most`. After
 * a process has run for `runsWell`, the next pause is `first` again.
 */
export interface Pauses {
  readonly first: number;
  readonly most: number;
  readonly runsWell: number;
}

const usualPauses: Pauses = { first: 200, most: 10_000, runsWell: 60_000 };

/** A process that ended without being stopped. */
export interface Ended {
  readonly role: Role;
  readonly childPid: number | undefined;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly againInMs: number;
}

export interface Supervisor {
  /**
   * Starts one role after the other. False if a process ends by itself at its very first start, which only a person can fix: it has
   * written the reason to stderr. The processes that were started before are stopped again.
   */
  start(): Promise<boolean>;
  /** Stops the processes one after the other, the first role first. */
  stop(): Promise<void>;
  /** Kills the processes. */
  kill(): void;
}

interface Options {
  roles: readonly Role[];
  /** Environment variables of the processes, in addition to those of this process. */
  environment?: (role: Role) => Readonly<Record<string, string>>;
  onEnded?: (ended: Ended) => void;
  onStarted?: (role: Role, childPid: number | undefined) => void;
  pauses?: Pauses;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/** The ports of a process, from its message. After a restart it uses the same ports, even if the system chose them. */
const keptPorts = (message: unknown): Readonly<Record<string, string>> | undefined => {
  const started: unknown =
    typeof message === 'object' && message !== null ? Reflect.get(message, 'started') : undefined;
  if (typeof started !== 'object' || started === null) return undefined;
  const ports = {
    PORT: Reflect.get(started, 'port'),
    WORKER_PORT: Reflect.get(started, 'workerPort'),
    METRICS_PORT: Reflect.get(started, 'metricsPort'),
  };
  return Object.fromEntries(
    Object.entries(ports).flatMap(([name, port]) => (typeof port === 'number' ? [[name, String(port)]] : [])),
  );
};

interface Kept {
  start(): Promise<boolean>;
  /** The process is not started again. */
  leave(): void;
  stop(): Promise<void>;
  kill(): void;
}

/**
 *   not started ──▶ starting ──"started"──▶ running ──end──▶ pause ──▶ starting …
 *                      └── ends by itself, the first time: given up
 */
const keep = (
  role: Role,
  { environment, onEnded, onStarted, pauses = usualPauses, now = () => performance.now() }: Options,
): Kept => {
  let child: ChildProcess | undefined;
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let pause = pauses.first;
  let ports: Readonly<Record<string, string>> = {};
  /** Whether the first start succeeded. */
  const firstStart = Promise.withResolvers<boolean>();
  let wasUp = false;

  const begin = () => {
    /** The end of its start, so that a slow start does not count as running well. */
    let upSince = Infinity;
    const started = spawn(process.execPath, [...process.execArgv, ...heapFlags(role), program, role], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...memoryOfThreads, ...process.env, ...environment?.(role), ...ports },
    });
    child = started;
    started.on('message', (message) => {
      const reported = keptPorts(message);
      if (!reported) return;
      wasUp = true;
      upSince = now();
      ports = reported;
      onStarted?.(role, started.pid);
      firstStart.resolve(true);
    });
    let isOver = false;
    const ended = (code: number | null, signal: NodeJS.Signals | null) => {
      if (isOver) return;
      isOver = true;
      child = undefined;
      if (stopping) return;
      if (!wasUp && signal === null) {
        firstStart.resolve(false);
        return;
      }
      if (now() - upSince >= pauses.runsWell) pause = pauses.first;
      onEnded?.({ role, childPid: started.pid, code, signal, againInMs: pause });
      timer = setTimeout(begin, pause);
      pause = Math.min(2 * pause, pauses.most);
    };
    started.once('exit', ended);
    started.once('error', () => ended(1, null)); // the program could not be started
  };

  return {
    start() {
      if (stopping) firstStart.resolve(false);
      else begin();
      return firstStart.promise;
    },
    leave() {
      stopping = true;
      clearTimeout(timer);
      firstStart.resolve(false);
    },
    async stop() {
      const stopped = child && once(child, 'exit');
      child?.kill('SIGTERM');
      await stopped;
    },
    kill: () => void child?.kill('SIGKILL'),
  };
};

/** Keeps a process for each role running. A process that ends in any way is started again; the others keep running. */
export const makeSupervisor = (options: Options): Supervisor => {
  const kept = options.roles.map((role) => keep(role, options));
  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= (async () => {
      // Ctrl-C in a terminal reaches all processes at once. None may be started again while another one is being stopped.
      for (const one of kept) one.leave();
      for (const one of kept) await one.stop();
    })());
  return {
    async start() {
      for (const one of kept) {
        if (stopped || !(await one.start())) {
          await stop();
          return false;
        }
      }
      return true;
    },
    stop,
    kill() {
      for (const one of kept) {
        one.leave();
        one.kill();
      }
    },
  };
};

const mib = 1024 * 1024;

/**
 * The largest heap of each process, in MiB. Node's own limit is 4 GiB on most machines, and a process with a memory leak would collect
 * garbage for minutes before it reaches that. With these limits it ends early and is restarted. A smaller limit also makes V8 collect
 * garbage earlier: the worker stays below 300 MB while it synchronizes 100,000 deals, and needs about 150 MB otherwise.
 */
const heapMegabytes: Readonly<Record<Role, number>> = { api: 1_024, worker: 512 };

/** The size of a semi-space for new objects, in MiB. The worker has a small one: more frequent collections save memory and delay no request. */
const youngMegabytes: Readonly<Record<Role, number | undefined>> = { api: undefined, worker: 8 };

/**
 * A password hash takes 19 MiB in any of the 64 threads of Node's pool, and glibc keeps freed memory for each thread: an api process under
 * a flood of sign-ins grew to 690 MB on two cores, and to 140 MB with two such pools of memory. glibc reads this only at the start.
 */
const memoryOfThreads = { MALLOC_ARENA_MAX: '2' };

/** Node's flags for a process of this role. None if the operator has set a limit on the command line or in `NODE_OPTIONS`. */
export const heapFlags = (role: Role): string[] => {
  const chosen = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((flag) =>
    /max[-_]old[-_]space[-_]size/.test(flag),
  );
  if (chosen) return [];
  const memory = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  const young = youngMegabytes[role];
  return [
    `--max-old-space-size=${Math.min(heapMegabytes[role], Math.floor(memory / 2 / mib))}`,
    ...(young === undefined ? [] : [`--max-semi-space-size=${young}`]),
  ];
};
