import { cutDays, keptByDay, keepPartitions } from '../../db/partitions.ts';
import type { Cutting, Cut } from '../../db/partitions.ts';
import type { Platform } from '../../platform/team.ts';

const parents = [{ table: 'request_log_entry' }];
const old = keptByDay('requests', parents, 'api_key_day');

/** Makes the partitions of the days to come for the request log. */
export const keepLogPartitions = (platform: Platform): Promise<void> => keepPartitions(platform, parents);

/** Cuts the request log, and the sums of its days, where they are too old. */
export const cutLog = (platform: Platform, cutting: Cutting): Promise<Cut> => cutDays(platform, old, cutting);
