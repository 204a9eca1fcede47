import type { Tx } from '../../db/database.ts';

// The table `maintenance`, which has one row while maintenance is on.

const only = { id: 1 };

export const maintenanceRow = {
  get: (tx: Tx) => tx.maintenance.findUnique({ where: only }),

  /** Inserts the row. If there is one already, its `since` stays. */
  set: (tx: Tx, row: { since: Date; retryAfterSeconds: number }) =>
    tx.maintenance.upsert({
      where: only,
      create: { ...only, ...row },
      update: { retryAfterSeconds: row.retryAfterSeconds },
    }),

  delete: (tx: Tx) => tx.maintenance.deleteMany({ where: only }),
};
