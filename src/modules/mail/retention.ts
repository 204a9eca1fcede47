import { deleteOld, oldRows, reachOf } from '../../db/partitions.ts';
import type { Cutting } from '../../db/partitions.ts';
import type { Platform } from '../../platform/team.ts';

const old = oldRows('mail', 'mail', 'created_at < :firstKept::date');

/** Deletes mails that are too old, sent or not: nobody reads an invitation of last month, and its link has expired. */
export const cutMails = (platform: Platform, cutting: Cutting): Promise<void> =>
  deleteOld(platform.database, old, reachOf(platform, cutting));
