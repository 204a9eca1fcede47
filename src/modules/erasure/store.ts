import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Erasure, Prisma } from '../../db/generated/client.ts';
import { nothing, query, uuid } from '../../db/query.ts';

// The table `erasure`: a row for each person who is being erased from a team's data.

export interface ErasureKey {
  tenantId: string;
  id: string;
}

const keyOf = ({ tenantId, id }: ErasureKey) => ({ tenantId_id: { tenantId, id } });

const shownErasures = 100;

const lock = query({
  name: 'erasure.lock',
  why: 'Prisma has no row locks',
  sql: 'select id from erasure where tenant_id = :tenantId and id = :id for update',
  parameters: { tenantId: uuid, id: uuid },
  row: { id: uuid },
});

const addJob = query({
  name: 'erasure.addJob',
  why: 'adds a job of graphile-worker',
  sql: `select add_rewriting_job('erase_person', json_build_object('tenantId', :tenantId::uuid, 'erasureId', :id::uuid),
                                 :tenantId::text || ' ' || :id::text) as added`,
  parameters: { tenantId: uuid, id: uuid },
  row: { added: nothing },
});

const addLostJobs = query({
  name: 'erasure.addLostJobs',
  why: 'adds jobs of graphile-worker',
  sql: `select add_rewriting_job('erase_person', json_build_object('tenantId', tenant_id, 'erasureId', id),
                                 tenant_id::text || ' ' || id::text) as added
          from erasure order by created_at limit 1000`,
  parameters: {},
  row: { added: nothing },
});

export const erasures = {
  insert: (tx: Tx, row: Prisma.ErasureUncheckedCreateInput) => tx.erasure.create({ data: row }),

  /** Locks an erasure, so that only one process continues it. Returns undefined if it is finished. */
  lock: async (tx: Tx, key: ErasureKey): Promise<Erasure | undefined> => {
    await runIn(tx, lock, key);
    return (await tx.erasure.findUnique({ where: keyOf(key) })) ?? undefined;
  },

  /** The teams with an unfinished erasure of this person. */
  teamsErasing: async (tx: Tx, personId: string) =>
    (await tx.erasure.findMany({ where: { personId }, select: { tenantId: true } })).map(({ tenantId }) => tenantId),

  /** The unfinished erasures of an address. */
  lookingFor: (tx: Tx, email: string) =>
    tx.erasure.findMany({ where: { emails: { has: email } }, orderBy: { tenantId: 'asc' } }),

  update: (tx: Tx, key: ErasureKey, data: Prisma.ErasureUncheckedUpdateInput) =>
    tx.erasure.update({ where: keyOf(key), data }),

  setFailed: ({ prisma }: Database, { tenantId, id }: ErasureKey, failedAt: Date) =>
    prisma.erasure.updateMany({ where: { tenantId, id }, data: { failedAt } }),

  /** A team's erasures, the oldest first. */
  running: ({ prisma }: Database, tenantId: string) =>
    prisma.erasure.findMany({
      where: { tenantId },
      select: { createdAt: true, failedAt: true },
      orderBy: { createdAt: 'asc' },
      take: shownErasures,
    }),

  remove: (tx: Tx, key: ErasureKey) => tx.erasure.delete({ where: keyOf(key) }),

  addJobIn: (tx: Tx, key: ErasureKey) => runIn(tx, addJob, key),

  addJob: (database: Database, key: ErasureKey) => database.run(addJob, key),

  /** Adds the job of every erasure, in case one has used up its tries. A waiting job is replaced. */
  addLostJobs: (database: Database) => database.run(addLostJobs, {}),
};
