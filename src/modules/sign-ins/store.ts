import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';

// The tables `session`, `verification` and `two_factor`, which the sign-in library reads and writes as well, and
// `passkey`.

export const sessions = {
  /** A person's sessions that have not expired, the latest first. */
  ofPerson: (tx: Tx, { now, max, ...whose }: { personId: string; companyTeamId?: string; now: Date; max: number }) =>
    tx.session.findMany({ where: { ...whose, expiresAt: { gt: now } }, orderBy: { createdAt: 'desc' }, take: max }),

  remove: (
    tx: Tx,
    which: { id: string; personId?: string; companyTeamId?: string } | { token: string } | { personId: string },
  ) => tx.session.deleteMany({ where: which }),

  /**
   * Ends the sessions that began with a team's company account. If a domain is given, only people with an address in it
   * lose their sessions.
   */
  removeOfCompany: async (tx: Tx, companyTeamId: string, domain?: string) => {
    if (domain === undefined) return tx.session.deleteMany({ where: { companyTeamId } });
    // A distributed database refuses to delete rows by a condition on a table that all its machines have.
    const where = { companyTeamId, person: { email: { endsWith: `@${domain}` } } };
    const found = await tx.session.findMany({ where, select: { id: true } });
    return tx.session.deleteMany({ where: { id: { in: found.map(({ id }) => id) } } });
  },

  /**
   * Locks a session, so that it neither ends nor is downgraded before this transaction ends. Returns how it began, if
   * it exists.
   */
  lock: async (tx: Tx, id: string) => {
    lockRow(tx, 'session', { id });
    return (await tx.session.findUnique({ where: { id }, select: { way: true } }))?.way;
  },

  /** Records that a session has shown a second factor. */
  noteSecondFactor: (tx: Tx, token: string) =>
    tx.session.updateMany({ where: { token, way: 'password' }, data: { way: 'second_factor' } }),

  /** After the second factor was turned off, sessions count as signed in with a password. */
  deleteSecondFactor: (tx: Tx, personId: string) =>
    tx.session.updateMany({ where: { personId, way: 'second_factor' }, data: { way: 'password' } }),

  /** Records that the person of a session has just given a fresh proof. */
  prove: (tx: Tx, id: string, provedAt: Date) => tx.session.updateMany({ where: { id }, data: { provedAt } }),

  proveToken: (tx: Tx, token: string, provedAt: Date) =>
    tx.session.updateMany({ where: { token }, data: { provedAt } }),

  removeExpired: (tx: Tx, now: Date) => tx.session.deleteMany({ where: { expiresAt: { lt: now } } }),
};

/** First steps of a sign-in, trust in browsers, and known browsers. The value is the person's id. */
export const verifications = {
  /** The rows with these identifiers that have not expired. */
  among: (tx: Tx, identifiers: string[], now: Date) =>
    tx.verification.findMany({
      where: { identifier: { in: identifiers }, expiresAt: { gt: now } },
      select: { identifier: true, value: true },
    }),

  insert: (tx: Tx, data: Prisma.VerificationUncheckedCreateInput) => tx.verification.create({ data }),

  extend: (tx: Tx, identifier: string, expiresAt: Date) =>
    tx.verification.updateMany({ where: { identifier }, data: { expiresAt } }),

  removeOf: (tx: Tx, personId: string) => tx.verification.deleteMany({ where: { value: personId } }),

  removeExpired: (tx: Tx, now: Date) => tx.verification.deleteMany({ where: { expiresAt: { lt: now } } }),
};

interface EncryptedFactor {
  secret: string;
  backupCodes: string;
}

export const secondFactors = {
  all: (tx: Tx) => tx.twoFactor.findMany({ select: { id: true, secret: true, backupCodes: true } }),

  replace: (tx: Tx, former: EncryptedFactor & { id: string }, next: EncryptedFactor) =>
    tx.twoFactor.updateMany({ where: former, data: next }),
};

/** The columns that a check of a passkey needs. */
const passkeyCheck = { id: true, personId: true, credentialId: true, publicKey: true, counter: true, transports: true };

export const passkeys = {
  ofPerson: (tx: Tx, personId: string) =>
    tx.passkey.findMany({
      where: { personId },
      select: { id: true, name: true, credentialId: true, transports: true, createdAt: true, lastUsedAt: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    }),

  byCredential: (tx: Tx, credentialId: string) =>
    tx.passkey.findUnique({ where: { credentialId }, select: passkeyCheck }),

  insert: (tx: Tx, data: Prisma.PasskeyUncheckedCreateInput) => tx.passkey.create({ data }),

  rename: (tx: Tx, personId: string, id: string, name: string) =>
    tx.passkey.updateMany({ where: { id, personId }, data: { name } }),

  /**
   * Records a use, unless the passkey was removed or its counter has changed since it was read. Returns whether the use
   * was recorded.
   */
  use: async (
    tx: Tx,
    id: string,
    { counter, former, lastUsedAt }: { counter: bigint; former: bigint; lastUsedAt: Date },
  ) => (await tx.passkey.updateMany({ where: { id, counter: former }, data: { counter, lastUsedAt } })).count > 0,

  remove: (tx: Tx, personId: string, id: string) => tx.passkey.deleteMany({ where: { id, personId } }),
};

/** Ends all sessions of a person, and forgets their known and trusted browsers, and first steps of sign-ins. */
export const endSignIns = async (tx: Tx, personId: string): Promise<void> => {
  await sessions.remove(tx, { personId });
  await verifications.removeOf(tx, personId);
};

/** Deletes all data of a person's sign-in except the password. */
export const removeSignIns = async (tx: Tx, personId: string): Promise<void> => {
  await endSignIns(tx, personId);
  await tx.twoFactor.deleteMany({ where: { personId } });
  await tx.passkey.deleteMany({ where: { personId } });
};
