import { keepPartitions as keep } from '../../db/partitions.ts';
import type { Partitioned } from '../../db/partitions.ts';
import type { Platform } from '../../platform/platform.ts';

/** Rows of deliveries change until they are done: room for that beside each spares their indexes. */
export const partitioned: readonly Partitioned[] = [
  { table: 'webhook_event' },
  { table: 'webhook_delivery', storage: 'with (fillfactor = 70)' },
  { table: 'webhook_attempt' },
];

/** Makes the partitions of the days to come for events, deliveries and attempts. */
export const keepPartitions = (platform: Platform, options?: { ahead?: number }): Promise<void> =>
  keep(platform, partitioned, options);
