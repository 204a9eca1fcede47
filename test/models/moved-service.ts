import type { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { adaptDatabase, moveClock } from '../../src/packages/sandbox/database.ts';
import { aConnection, createDatabase } from '../support/postgres.ts';
import { startTestService, type ServiceOptions, type TestService } from '../support/service.ts';

export interface MovedService {
  service: TestService;
  /** A connection to its database. */
  sql: Client;
  /** Moves the clocks of the service and of its database, as the sandbox does. */
  forward(milliseconds: number): Promise<void>;
  /** Moves both clocks back to the machine's. */
  reset(): Promise<void>;
}

/** A service until the end of the test, on a database whose clock can be moved, as the sandbox's. */
export const aMovedService = async (options: ServiceOptions = {}): Promise<MovedService> => {
  const { url: databaseUrl, drop } = await createDatabase();
  onTestFinished(drop);
  await adaptDatabase(databaseUrl);
  const service = await startTestService({ ...options, databaseUrl });
  onTestFinished(() => service.close());
  const sql = await aConnection(databaseUrl);
  let ahead = 0;
  const moveTo = async (milliseconds: number) => {
    // The database's clock is never ahead of the process's: see setClock of the sandbox.
    service.clock.forward(milliseconds - ahead);
    ahead = milliseconds;
    await moveClock(sql, ahead);
  };
  return { service, sql, forward: (milliseconds) => moveTo(ahead + milliseconds), reset: () => moveTo(0) };
};
