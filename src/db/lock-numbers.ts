/**
 * The numbers of PostgreSQL's advisory locks that are not for a row. Other programs may use locks of the same database,
 * so these are unlikely numbers. Named locks (advisory-lock.ts) have other numbers.
 */
export const lockNumbers = {
  /** Held by the one process that migrates. */
  migration: 7_265_108_114,
  /** Held by the one process that creates the demo. */
  demo: 7_265_108_115,
  /** Held by the one transaction that changes the global catalog. */
  globalCatalog: 7_265_108_116,
} as const;
