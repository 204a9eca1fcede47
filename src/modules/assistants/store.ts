import type { Tx } from '../../db/database.ts';
import type { AssistantConnection, Prisma } from '../../db/generated/client.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `assistant_connection`.

export type Connection = AssistantConnection;
type ConnectionKey = Pick<Connection, 'tenantId' | 'id'>;

type TokenColumns = Pick<
  Prisma.AssistantConnectionUncheckedUpdateInput,
  'accessHash' | 'accessExpiresAt' | 'refreshHash' | 'refreshedAt' | 'expiresAt'
>;

/** A use is noted at most this often, so the last use may be a little later than `lastUsedAt`. */
const notedEveryMs = 60_000;

export const connections = {
  insert: (tx: Tx, data: Prisma.AssistantConnectionUncheckedCreateInput) => tx.assistantConnection.create({ data }),

  get: (tx: Tx, { tenantId, id }: ConnectionKey) => tx.assistantConnection.findFirst({ where: { tenantId, id } }),

  /** A person's connections whose code was exchanged and that have not expired, the newest first. */
  ofPerson: (tx: Tx, personId: string, now: Date) =>
    tx.assistantConnection.findMany({
      where: { personId, codeUsedAt: { not: null }, expiresAt: { gt: now } },
      orderBy: { createdAt: 'desc' },
    }),

  allOf: (tx: Tx, personId: string) => tx.assistantConnection.findMany({ where: { personId } }),

  /** Uses up the code. False if another request was faster. */
  useCode: async (tx: Tx, { tenantId, id }: ConnectionKey, now: Date, tokens: TokenColumns): Promise<boolean> => {
    const { count } = await tx.assistantConnection.updateMany({
      where: { tenantId, id, codeUsedAt: null },
      data: { codeUsedAt: now, ...tokens },
    });
    return count > 0;
  },

  /** Replaces the tokens. False if another request was faster. */
  rotate: async (
    tx: Tx,
    { tenantId, id, refreshHash }: ConnectionKey & Pick<Connection, 'refreshHash'>,
    tokens: TokenColumns,
  ) => {
    const { count } = await tx.assistantConnection.updateMany({ where: { tenantId, id, refreshHash }, data: tokens });
    return count > 0;
  },

  noteUse: async (tx: Tx, { tenantId, id, lastUsedAt }: Connection, now: Date): Promise<void> => {
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < notedEveryMs) return;
    await tx.assistantConnection.updateMany({ where: { tenantId, id }, data: { lastUsedAt: now } });
  },

  remove: async (tx: Tx, { tenantId, id }: ConnectionKey): Promise<boolean> =>
    (await tx.assistantConnection.deleteMany({ where: { tenantId, id } })).count > 0,

  /**
   * Ends the connections that were made in sessions of the team's company account, and returns them. With a domain,
   * only those of members with an address in it.
   */
  removeOfCompany: async (tx: Tx, tenantId: string, domain?: string) => {
    const whose = domain !== undefined && { member: { email: { endsWith: `@${domain}` } } };
    const rows = await tx.assistantConnection.findMany({ where: { tenantId, way: 'company', ...whose } });
    await tx.assistantConnection.deleteMany({ where: { tenantId, id: { in: rows.map(({ id }) => id) } } });
    return rows;
  },

  /** After the second factor was turned off, connections that were made with it count as made with a password. */
  deleteSecondFactor: (tx: Tx, personId: string) =>
    tx.assistantConnection.updateMany({ where: { personId, way: 'second_factor' }, data: { way: 'password' } }),

  removeExpired: (tx: Tx, now: Date) => tx.assistantConnection.deleteMany({ where: { expiresAt: { lt: now } } }),
};

/** Deletes the connections of these memberships, for the erasure of a person from a team. */
export const removeConnectionsOf = (tx: Tx, tenantId: string, memberIds: string[]) =>
  tx.assistantConnection.deleteMany({ where: { tenantId, memberId: { in: memberIds } } });

/** The connected assistants in the team's export. */
export const connectionData = teamTable({
  table: 'assistant_connection',
  file: 'assistants.json',
  values: ['id', 'memberId', 'way'],
  times: ['createdAt', 'lastUsedAt', 'expiresAt'],
  texts: ['clientName', 'redirectUri'],
  leftOut: {
    personId: 'The account belongs to the person, and its id is the same in all teams.',
    clientHash: 'A hash.',
    codeHash: 'A hash of a secret.',
    codeChallenge: 'A hash of a secret.',
    codeUsedAt: 'The state of the connection: a code is exchanged within minutes.',
    accessHash: 'A hash of a secret.',
    accessExpiresAt: 'Belongs to a secret.',
    refreshHash: 'A hash of a secret.',
    refreshedAt: 'Belongs to a secret.',
  },
});
