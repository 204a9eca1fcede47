import { afterAll } from 'vitest';
import { adaptDatabase, setDatabaseTime } from '../../src/packages/sandbox/database.ts';
import { createDatabase } from '../support/postgres.ts';
import { startTestService, type ServiceOptions, type TestService } from '../support/service.ts';

export interface MovedService {
  service: TestService;
  /** Moves the clocks of the service and of its database, as the sandbox does. */
  forward(milliseconds: number): Promise<void>;
  /** Moves both clocks back to the machine's. */
  reset(): Promise<void>;
}

/** A service for the whole file on a database whose clock can be moved, as the sandbox's. */
export const useMovedService = async (options: ServiceOptions = {}): Promise<MovedService> => {
  const { url: databaseUrl, drop } = await createDatabase();
  await adaptDatabase(databaseUrl);
  const service = await startTestService({ ...options, databaseUrl });
  afterAll(async () => {
    await service.close();
    await drop();
  });
  let ahead = 0;
  const moveTo = async (milliseconds: number) => {
    // The database's clock is never ahead of the process's: see setClock of the sandbox.
    service.clock.forward(milliseconds - ahead);
    ahead = milliseconds;
    await setDatabaseTime(databaseUrl, ahead);
  };
  return { service, forward: (milliseconds) => moveTo(ahead + milliseconds), reset: () => moveTo(0) };
};
