/** Codes of PostgreSQL's errors (SQLSTATE) to which the service reacts. */
export const sqlState = {
  featureNotSupported: '0A000',
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  noSuchPreparedStatement: '26000',
  noSuchDatabase: '3D000',
  databaseExists: '42P04',
  /** A role, a cast or another object exists. */
  alreadyThere: '42710',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  /** No code of PostgreSQL: our function `enter_cell` raises it if the cell is on another node or closed. */
  cellNotHere: 'CELL1',
} as const;
