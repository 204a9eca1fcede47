import { writeLater, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { listOf, query, text, time } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `mail`.

const nextTries = query({
  name: 'mail.nextTries',
  why: 'reads a table of graphile-worker',
  sql: `select substr(key, 6) as id, greatest(run_at, now()) as at from graphile_worker.jobs
         where key = any (array(select 'mail ' || id from unnest(:ids::text[]) as mail (id))) and attempts < max_attempts`,
  parameters: { ids: listOf(text) },
  row: { id: text.checked, at: time.checked },
});

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] satisfies Prisma.MailOrderByWithRelationInput[];

export const mails = {
  get: (tx: Tx, id: string) => tx.mail.findUnique({ where: { id } }),

  deleteBefore: ({ prisma }: Database, time: Date, limit: number) =>
    prisma.mail.deleteMany({ where: { createdAt: { lt: time } }, limit }),

  newest: (tx: Tx, count: number) => tx.mail.findMany({ orderBy: newestFirst, take: count }),

  /** Mails that could not be sent, newest first: at most `count`, or all. */
  failed: (tx: Tx, count?: number) =>
    tx.mail.findMany({
      where: { sentAt: null, error: { not: null } },
      orderBy: newestFirst,
      ...(count !== undefined && { take: count }),
    }),

  /** When mails are tried next. Mails that are not tried again are left out. */
  nextTries: (database: Database, ids: string[]) => database.run(nextTries, { ids }),

  insert: (tx: Tx, data: Prisma.MailCreateManyInput[]) => writeLater(tx, () => tx.mail.createMany({ data })),

  update: (tx: Tx, id: string, data: Prisma.MailUncheckedUpdateInput) => tx.mail.update({ where: { id }, data }),

  /** The number of a team's mails since a time. */
  countSince: (tx: Tx, tenantId: string, since: Date) =>
    tx.mail.count({ where: { tenantId, createdAt: { gte: since } } }),

  /** For each recipient of a team's mails of one kind, the last one since a time. */
  lastTo: (tx: Tx, { tenantId, kind, since }: { tenantId: string; kind: string; since: Date }) =>
    tx.mail.findMany({
      where: { tenantId, kind, createdAt: { gte: since } },
      select: { recipient: true, createdAt: true },
      distinct: ['recipient'],
      orderBy: { createdAt: 'desc' },
    }),

  /** All unsent mails, oldest first, read in batches. */
  async *waiting({ prisma }: Database) {
    let last: { createdAt: Date; id: string } | undefined;
    do {
      const isAfter: Prisma.MailWhereInput = last
        ? { OR: [{ createdAt: { gt: last.createdAt } }, { createdAt: last.createdAt, id: { gt: last.id } }] }
        : {};
      const batch = await prisma.mail.findMany({
        where: { sentAt: null, ...isAfter },
        select: { id: true, createdAt: true, body: true },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: 500,
      });
      yield* batch;
      last = batch.at(-1);
    } while (last);
  },

  replaceBody: ({ prisma }: Database, former: Prisma.MailWhereInput, body: Uint8Array<ArrayBuffer>) =>
    prisma.mail.updateMany({ where: former, data: { body } }),
};

export const planOf = async (tx: Tx, teamId: string) =>
  (await tx.team.findFirst({ where: { id: teamId }, select: { plan: true } }))?.plan;

/** Mails in the team's export and in the erasure of a person. */
export const mailData = teamTable({
  table: 'mail',
  key: { createdAt: 'timestamptz', id: 'uuid' },
  values: ['id', 'recipient', 'language', 'kind', 'tries'],
  times: ['createdAt', 'sentAt', 'failedAt'],
  texts: ['error'],
  leftOut: { body: 'It is encrypted, since links in it let their bearer in.' },
});

/**
 * Deletes the mails to these addresses: those of a team, or those without a team. Their jobs then find nothing to send.
 */
export const removeMailsTo = (tx: Tx, tenantId: string | null, emails: string[]) =>
  tx.mail.deleteMany({ where: { tenantId, recipient: { in: emails } } });
