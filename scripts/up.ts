// npm run up: starts everything that the service needs, with demo data, for evaluation and development. Not for production.

import process from 'node:process';
import { explanationOf } from '../src/cli/failure.ts';
import { openFoundation } from '../src/run/compose.ts';
import { readConfig } from '../src/config.ts';
import { ConfigError } from '../src/core/config-error.ts';
import { migrate } from '../src/db/migrate.ts';
import { prepareDemo } from '../src/cli/demo/prepare.ts';
import { workerMetricsPort, makeSupervisor } from '../src/run/supervisor/supervisor.ts';
import { onStopSignal, roles } from '../src/run/supervisor/process.ts';
import type { Supervisor } from '../src/run/supervisor/supervisor.ts';
import { probePort } from './up/port.ts';
import { welcome } from './up/welcome.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Everything that was started; disposed in the opposite order, so PostgreSQL stops last. */
const started = new AsyncDisposableStack();
const stopping = new AbortController();
let processes: Supervisor | undefined;

const start = async (): Promise<void> => {
  const given = readConfig();
  if (given.NODE_ENV === 'production') {
    throw new ConfigError(
      'npm run up is not for production (NODE_ENV=production): run npm run migrate, then node src/main.ts.',
    );
  }
  const config = { ...given, PORT: await probePort(given) };

  const foundation = await openFoundation(config, { report: say });
  started.defer(() => foundation.close());
  if (stopping.signal.aborted) return;

  await migrate(foundation.databaseUrl, say);
  if (stopping.signal.aborted) return;

  const demo = await prepareDemo(foundation, { config, publicUrl: foundation.platform.publicUrl, report: say });
  if (stopping.signal.aborted) return;

  say('Starting the service …');
  const supervisor = makeSupervisor({
    roles,
    environment: (role) => ({ ...workerMetricsPort(role), PORT: String(config.PORT) }),
    onEnded: ({ role, code, signal }) => say(`The ${role} process ended (${signal ?? code}) and is started again …`),
  });
  processes = supervisor;
  started.defer(() => supervisor.stop());
  if (await supervisor.start()) say(welcome(demo));
  // The process that failed to start has printed the reason.
  else if (!stopping.signal.aborted) await giveUp();
};

const giveUp = async (): Promise<never> => {
  await started.disposeAsync();
  process.exit(1);
};

const starting = start();

onStopSignal(
  async () => {
    stopping.abort();
    say('\nStopping …');
    await processes?.stop();
    // Wait until the start has ended, so that everything can be stopped in order.
    await starting.catch(() => undefined);
    await started.disposeAsync();
    say('Stopped.');
  },
  () => processes?.kill(),
);

try {
  await starting;
} catch (error) {
  // After a stop signal, the other handler cleans up, and the signal probably caused this error.
  if (!stopping.signal.aborted) {
    process.stderr.write(`${explanationOf(error)}\n`);
    await giveUp();
  }
}
