import { deleteOldRows, oldRows, deletionOf } from '../../db/partitions.ts';
import type { Retention } from '../../db/partitions.ts';
import type { Platform } from '../../platform/team.ts';

const old = oldRows('mail', 'mail', 'created_at < :firstKept::date');

/** Deletes mails that are too old, sent or not: nobody reads an invitation of last month, and its link has expired. */
export const cutMails = (platform: Platform, cutting: Retention): Promise<void> =>
  deleteOldRows(platform.database, old, deletionOf(platform, cutting));
