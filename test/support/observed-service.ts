import pino from 'pino';
import { onTestFinished } from 'vitest';
import { startApi } from '../../src/run/api.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { startService } from '../../src/run/service.ts';
import { startJobs } from '../../src/run/worker.ts';
import { readConfig } from '../../src/config.ts';
import { countingErrors } from '../../src/core/log.ts';
import { basePath } from '../../src/core/product.ts';
import { testSecret } from './service.ts';

interface ObservedService {
  readonly port: number;
  readonly origin: string;
  readonly baseUrl: string;
  readonly workerPort: number | undefined;
  readonly metricsPort: number | undefined;
  readonly logged: () => Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The service as it is wired in production, on another one's database; it stops at the end of the test. */
export const startObserved = async (
  databaseUrl: string,
  role: 'api' | 'worker',
  environment: Record<string, string> = {},
): Promise<ObservedService> => {
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    APP_SECRET: testSecret,
    // All tests share one address, whose tries are in the database.
    ANON_RATE_PER_MIN: '100000',
    SIGN_IN_RATE_PER_MIN: '100000',
    ...environment,
  });
  const lines: string[] = [];
  let errors = 0;
  const hooks = countingErrors(() => (errors += 1));
  const log = pino({ level: 'info', base: null, hooks }, { write: (line) => void lines.push(line) });
  const foundation = await openFoundation(config);
  const roles = role === 'api' ? { api: startApi } : { worker: startJobs };
  const service = await startService(foundation, roles, { config, log, errors: () => errors });
  service.ready();
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= service.stop().then(() => foundation.close()));
  onTestFinished(stop);
  const origin = `http://127.0.0.1:${service.port}`;
  return {
    port: service.port ?? 0,
    origin,
    baseUrl: `${origin}${basePath}`,
    workerPort: service.workerPort,
    metricsPort: service.metricsPort,
    logged: () => lines.map((line) => JSON.parse(line)),
    stop,
  };
};
