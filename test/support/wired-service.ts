import { afterAll } from 'vitest';
import { createDatabase } from './postgres.ts';
import { startTestService, type ServiceOptions, type TestService } from './service.ts';
import { openWire, type Wire } from './wire.ts';

/** A service behind a recording proxy to the database; close it at the end of the file. */
export const startWiredService = async (
  options: Pick<ServiceOptions, 'environment' | 'signIn'> = {},
): Promise<{ service: TestService; wire: Wire; close(): Promise<void> }> => {
  const database = await createDatabase();
  const wire = await openWire(database.url);
  const service = await startTestService({ ...options, databaseUrl: wire.url });
  return {
    service,
    wire,
    async close() {
      await service.close();
      await wire.close();
      await database.drop();
    },
  };
};

/** The same for the whole test file; closed at its end. */
export const useWiredService = async (...options: Parameters<typeof startWiredService>) => {
  const { close, ...wired } = await startWiredService(...options);
  afterAll(close);
  return wired;
};
