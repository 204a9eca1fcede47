import { deleteOldDays, dailyTables, createPartitions } from '../../db/partitions.ts';
import type { Retention, DroppedPartitions } from '../../db/partitions.ts';
import type { Platform } from '../../platform/team.ts';

const parents = [{ table: 'request_log_entry' }];
const old = dailyTables('requests', parents, 'api_key_day');

/** Makes the partitions of the days to come for the request log. */
export const keepLogPartitions = (platform: Platform): Promise<void> => createPartitions(platform, parents);

/** Cuts the request log, and the sums of its days, where they are too old. */
export const cutLog = (platform: Platform, cutting: Retention): Promise<DroppedPartitions> =>
  deleteOldDays(platform, old, cutting);
