import { migrate } from '../../src/db/migrate.ts';
import { seedTeams } from './seed.ts';
import type { Seeded, Sizes } from './seed.ts';

/** The program that the service is compared with. */
export const referenceHandler = 'scripts/bench/bare-handler.ts';

interface Wanted {
  /** URLs of two databases that are empty or do not exist. */
  referenceUrl: string;
  serviceUrl: string;
  sizes: Sizes;
}

/** Creates both databases with the same teams. */
export const seedBoth = async ({ referenceUrl, serviceUrl, sizes }: Wanted): Promise<Seeded> => {
  await migrate(referenceUrl);
  await migrate(serviceUrl);
  return seedTeams([referenceUrl, serviceUrl], sizes);
};
