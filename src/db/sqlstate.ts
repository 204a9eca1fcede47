/** Codes of PostgreSQL's errors (SQLSTATE) to which the service reacts. */
export const sqlState = {
  featureNotSupported: '0A000',
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  noSuchPreparedStatement: '26000',
  noSuchDatabase: '3D000',
  noSuchTable: '42P01',
  databaseExists: '42P04',
  /** A role, a cast or another object already exists. */
  alreadyThere: '42710',
  serializationFailure: '40001',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
} as const;
