import { writeLater, type Database, type Tx } from '../../db/database.ts';
import { text, time, uuid } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import type { DeletionResource } from './schema.ts';

// The table `deletion`.

/** The deletions from a list, the oldest first. */
export const deletionList = keysetList({
  name: 'deletions.list',
  why: 'continues after a pair of columns',
  cursor: 'deletions',
  columns: { id: uuid, deletedAt: time },
  from: 'deletion',
  order: ['deletedAt', 'id'],
  direction: 'asc',
  filters: {
    resource: { sql: 'resource = :resource', type: text, always: true },
    since: { sql: 'deleted_at >= :since', type: time },
  },
});

export const deletions = {
  /** Notes rows of a list that are being deleted in this transaction. If a row is noted again, its first time stays. */
  insert: (tx: Tx, tenantId: string, resource: DeletionResource, ids: readonly string[], deletedAt: Date) =>
    writeLater(tx, () =>
      tx.deletion.createMany({ data: ids.map((id) => ({ tenantId, resource, id, deletedAt })), skipDuplicates: true }),
    ),

  /** Removes some of a list's deletions that happened before a time. */
  deleteOld: (
    { prisma }: Database,
    { tenantId, resource, before }: { tenantId: string; resource: DeletionResource; before: Date },
    limit: number,
  ) => prisma.deletion.deleteMany({ where: { tenantId, resource, deletedAt: { lt: before } }, limit }),
};
