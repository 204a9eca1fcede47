import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { totalmem } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { makeLogger } from '../core/log.ts';
import { onStopSignal, roles } from './process.ts';
import type { Role } from './process.ts';

/** Each process serves its metrics on a port of its own: the worker on the one after METRICS_PORT, or both on free ones. */
export const workerMetricsPort = (role: Role): Readonly<Record<string, string>> => {
  const port = Number(process.env['METRICS_PORT'] ?? '');
  return role === 'worker' && Number.isInteger(port) && port > 0 ? { METRICS_PORT: String(port + 1) } : {};
};

/** The log line for a process that ended: when it starts again. */
export const endedLine = ({ role, childPid, code, signal, againInMs }: Ended) =>
  [
    { child: role, child_pid: childPid, code, signal, again_in_ms: againInMs },
    `the ${role} process ended and is started again`,
  ] as const;

/** Runs every role as a process of its own until a stop signal. */
export const superviseAll = async (): Promise<void> => {
  // A wrong level is reported by the processes.
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

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/**
 * How long a process that ended waits until it is started again, in milliseconds: `first`, then twice as long each time up to
 * `most`. A process that was up for `runsWell` before it ended begins at `first` again.
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
   * Starts one role after the other. False if a process ended by itself at its very first start, which only a person can fix:
   * it has written the reason to stderr, and the processes started before it are stopped again.
   */
  start(): Promise<boolean>;
  /** Stops the processes in order, the first role first. */
  stop(): Promise<void>;
  /** Ends the processes at once. */
  kill(): void;
}

interface Options {
  roles: readonly Role[];
  /** Environment variables of the processes, beside this process's own. */
  environment?: (role: Role) => Readonly<Record<string, string>>;
  onEnded?: (ended: Ended) => void;
  onStarted?: (role: Role, childPid: number | undefined) => void;
  pauses?: Pauses;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** The ports of a process, from its message. A port that the system chose is used again when the process is restarted. */
const keptPorts = (message: unknown): Readonly<Record<string, string>> | undefined => {
  const started: unknown =
    typeof message === 'object' && message !== null ? Reflect.get(message, 'started') : undefined;
  if (typeof started !== 'object' || started === null) return undefined;
  const ports = { PORT: Reflect.get(started, 'port'), METRICS_PORT: Reflect.get(started, 'metricsPort') };
  return Object.fromEntries(
    Object.entries(ports).flatMap(([name, port]) => (typeof port === 'number' ? [[name, String(port)]] : [])),
  );
};

interface Kept {
  start(): Promise<boolean>;
  /** It is not started again from now on. */
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
  /** Resolves with whether the very first start succeeded. */
  const firstStart = Promise.withResolvers<boolean>();
  let wasUp = false;

  const begin = () => {
    /** When it was up: the time that a slow start takes is no time of running well. */
    let upSince = Infinity;
    const started = spawn(process.execPath, [...process.execArgv, ...heapFlags(role), program, role], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...environment?.(role), ...ports },
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
    started.once('error', () => ended(1, null)); // it could not even be started
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

/** Keeps a process for each role running. A process that ends, in whatever way, is started again; the others go on. */
export const makeSupervisor = (options: Options): Supervisor => {
  const kept = options.roles.map((role) => keep(role, options));
  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= (async () => {
      // Ctrl-C in a terminal reaches all of them at once: none may be started again while another is being stopped.
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
 * The largest heap of each process, in MiB. Node's own limit is 4 GiB on most machines. A process that leaks memory would collect garbage for
 * minutes before it reaches that; with these limits it ends early and is restarted. A smaller limit also makes V8 collect garbage earlier: the
 * worker stays below 300 MB while it synchronizes 100,000 deals, and needs about 150 MB otherwise.
 */
const heapMegabytes: Readonly<Record<Role, number>> = { api: 1_024, worker: 512 };

/** The size of a semi-space for new objects, in MiB. The worker has a small one: more frequent collections save memory and delay no request. */
const youngMegabytes: Readonly<Record<Role, number | undefined>> = { api: undefined, worker: 8 };

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
