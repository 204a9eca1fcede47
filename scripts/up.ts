// npm run up: everything that the service needs, with demo data, for trying it out and for working on it. Not for production.

import process from 'node:process';
import { explanationOf } from '../src/cli/failure.ts';
import { ConfigError, readConfig } from '../src/config.ts';
import { makeLogger } from '../src/core/log.ts';
import { migrate } from '../src/db/migrate.ts';
import { prepareDemo } from '../src/demo/prepare.ts';
import { openFoundation } from '../src/foundation.ts';
import { startService } from '../src/main.ts';
import { onStopSignal } from '../src/stop-signal.ts';
import { explained, probePort } from './up/port.ts';
import { welcome } from './up/welcome.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What was started, to be stopped in the opposite order: PostgreSQL last. */
const started = new AsyncDisposableStack();
const stopping = new AbortController();

const start = async (): Promise<void> => {
  const given = readConfig();
  if (given.NODE_ENV === 'production') {
    throw new ConfigError(
      'npm run up is not for production (NODE_ENV=production): run npm run migrate, then node src/main.ts.',
    );
  }
  const config = { ...given, PORT: await probePort(given) };
  const log = makeLogger(config.LOG_LEVEL);
  started.defer(() => log.flush());

  const foundation = await openFoundation(config, {
    report: say,
    onLostConnection: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  started.defer(() => foundation.close());
  if (stopping.signal.aborted) return;

  await migrate(foundation.databaseUrl, say);
  if (stopping.signal.aborted) return;

  say('Starting the service …');
  const service = await startService(foundation, { config, log, roles: new Set(['api', 'worker']) }).catch(
    (error: unknown) => {
      throw explained(error, config);
    },
  );
  started.defer(() => service.stop());
  if (stopping.signal.aborted) return;

  const demo = await prepareDemo(foundation, { config, publicUrl: foundation.platform.publicUrl, report: say });
  service.ready();
  if (!stopping.signal.aborted) say(welcome(demo));
};

const starting = start();

onStopSignal(async () => {
  stopping.abort();
  say('\nStopping …');
  // What is being started has to be there before it can be stopped in order.
  await starting.catch(() => undefined);
  await started.disposeAsync();
  say('Stopped.');
});

const giveUp = async (error: unknown): Promise<never> => {
  process.stderr.write(`${explanationOf(error)}\n`);
  await started.disposeAsync();
  process.exit(1);
};

try {
  await starting;
} catch (error) {
  // A stop signal in between is already being seen to, and may well be why.
  if (!stopping.signal.aborted) await giveUp(error);
}
