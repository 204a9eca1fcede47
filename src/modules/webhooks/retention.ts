import { cutDays, deleteOld, reachOf } from '../../db/old-days.ts';
import type { Cutting } from '../../db/old-days.ts';
import type { Cut } from '../../db/partitions.ts';
import type { Platform } from '../../platform/platform.ts';
import { partitioned } from './partitions.ts';

const waiting = { table: 'webhook_waiting', isOld: 'delivery_id < first_id_of($1::date)' };

/** Cuts events, deliveries and attempts that are too old, the sums of their days, and what still waits of them. */
export const cutOld = async (
  platform: Platform,
  { days, until = Infinity }: Pick<Cutting, 'days'> & Partial<Cutting>,
): Promise<Cut> => {
  const reach = reachOf(platform, { days, until });
  // Before the deliveries, so that none is taken to be sent that is gone.
  await deleteOld(platform.database, waiting, reach);
  await deleteOld(platform.database, { table: 'webhook_team_day', isOld: 'day < $1::date' }, reach);
  return cutDays(platform, { parents: partitioned, sums: 'webhook_endpoint_day' }, { days, until });
};
