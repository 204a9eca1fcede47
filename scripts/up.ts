// npm run up: starts everything that the service needs, with demo data, for evaluation and development. Not for
// production.

import process from 'node:process';
import { explanationOf } from '../src/cli/failure.ts';
import { prepareDemo, type DemoDocument } from '../src/cli/demo/prepare.ts';
import { readConfig } from '../src/config.ts';
import { ConfigError } from '../src/core/config-error.ts';
import { makeLogger } from '../src/core/log.ts';
import { startApi } from '../src/run/api.ts';
import { migrateDatabase } from '../src/run/database.ts';
import { openFoundation } from '../src/run/foundation.ts';
import { onStopSignal } from '../src/run/process.ts';
import { startService } from '../src/run/service.ts';
import { startJobs } from '../src/run/worker.ts';
import { probePort } from './up/port.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The text that `npm run up` prints at the end: the URLs, the sign-ins and a first request. */
const welcome = ({ base_url, app_url, teams }: DemoDocument): string => {
  const lines = [
    '',
    'The service is up.',
    '',
    `  App        ${app_url}`,
    `  REST API   ${base_url}`,
    `  OpenAPI    ${base_url}/openapi.v1.json`,
    `  Docs       ${app_url}/developers`,
    `  Health     ${app_url}/healthz  ${app_url}/readyz`,
    '',
    'Two demo teams, each with its owner’s sign-in and API keys (shown again by: npm run -s cli -- demo)',
  ];
  for (const { name, tenant_id, owner, keys } of teams) {
    lines.push(
      '',
      `  ${name}  ${tenant_id}`,
      `    sign-in        ${owner.email}  ${owner.password}`,
      `    key, all       ${keys.all}`,
      `    key, read only ${keys.read_only}`,
    );
  }
  const key = teams[0]?.keys.all ?? '';
  lines.push(
    '',
    'Try it:',
    '',
    `curl -i -H 'Authorization: Bearer ${key}' ${base_url}/me`,
    '',
    'Ctrl-C stops everything.',
    '',
  );
  return lines.join('\n');
};

/** Everything that was started; disposed in the opposite order, so PostgreSQL stops last. */
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

  const foundation = await openFoundation(config, { report: say, onDatabaseEnd: (reason) => void giveUp(reason) });
  started.defer(() => foundation.close());
  if (stopping.signal.aborted) return;

  await migrateDatabase(foundation.databaseUrl, say);
  if (stopping.signal.aborted) return;

  const demo = await prepareDemo(foundation, { config, publicUrl: foundation.platform.publicUrl, report: say });
  if (stopping.signal.aborted) return;

  say('Starting the service …');
  const service = await startService(foundation, { api: startApi, worker: startJobs }, { config, log });
  started.defer(() => service.stop());
  service.ready();
  if (!stopping.signal.aborted) say(welcome(demo));
};

const starting = start();

const stop = async (): Promise<void> => {
  stopping.abort();
  // Wait until the start has ended, so that everything can be stopped in order.
  await starting.catch(() => undefined);
  await started.disposeAsync();
};

/** Nothing works without the database. */
const giveUp = async ({ message }: Error): Promise<void> => {
  if (stopping.signal.aborted) return;
  process.stderr.write(`${message}\n`);
  await stop();
  process.exit(1);
};

onStopSignal(async () => {
  say('\nStopping …');
  await stop();
  say('Stopped.');
});

try {
  await starting;
} catch (error) {
  // After a stop signal, the other handler cleans up, and the signal probably caused this error.
  if (!stopping.signal.aborted) {
    process.stderr.write(`${explanationOf(error)}\n`);
    await started.disposeAsync();
    process.exit(1);
  }
}
