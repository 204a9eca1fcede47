import './webhooks/egress/look-up-threads.ts';
import { ConfigError, readConfig } from './config.ts';
import { makeLogger } from './core/log.ts';
import type { Logger } from './core/log.ts';
import { pendingMigrations } from './db/migrate.ts';
import { openFoundation } from './foundation.ts';
import type { Role } from './role.ts';
import { startService } from './service.ts';
import { onStopSignal } from './stop-signal.ts';
import { tellSupervisor } from './supervised.ts';

/** Starts what the environment asks for; what was started is left on the stack, PostgreSQL at its bottom. */
const start = async (role: Role, started: AsyncDisposableStack): Promise<Logger> => {
  const config = readConfig();
  const log = makeLogger(config.LOG_LEVEL, role);
  const foundation = await openFoundation(config, {
    report: (line) => log.info(line),
    onLostConnection: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  started.defer(() => foundation.close());
  const pending = await pendingMigrations(foundation.databaseUrl);
  if (pending.length > 0)
    throw new ConfigError(`The database lacks migrations: run npm run migrate (${pending.join(', ')})`);

  const service = await startService(foundation, { config, log, roles: new Set([role]) });
  started.defer(() => service.stop());
  service.ready();
  log.info({ roles: [role], port: service.port, metrics_port: service.metricsPort }, 'started');
  tellSupervisor({ port: service.port, metricsPort: service.metricsPort });
  return log;
};

/** Runs one role in this process until a stop signal, or until its supervisor is gone. */
export const runRole = async (role: Role): Promise<void> => {
  const started = new AsyncDisposableStack();
  try {
    const log = await start(role, started);
    onStopSignal(async (reason) => {
      log.info({ signal: reason }, 'stopping');
      await started.disposeAsync();
      log.info('stopped');
      log.flush();
    });
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
};
