import process from 'node:process';
import { makeLogger } from '../core/log.ts';
import { onStopSignal, roles } from './process.ts';
import type { Role } from './process.ts';
import { makeSupervisor } from './supervisor.ts';
import type { Ended } from './supervisor.ts';

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
