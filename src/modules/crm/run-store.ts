import { z } from 'zod';
import { isId } from '../../core/ids.ts';
import type { Message } from '../../core/language.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { pageAfter } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';
import { whereKey, type ConnectionKey, type RowKey } from './store.ts';

// The table `crm_run`.

const workColumns = {
  id: true,
  kind: true,
  startedAt: true,
  since: true,
  cursor: true,
  fetched: true,
  pages: true,
  waits: true,
  abandoned: true,
} as const satisfies Prisma.CrmRunSelect;
/** The state of a run from which a worker continues it. */
export type WorkRow = Prisma.CrmRunGetPayload<{ select: typeof workColumns }>;

const historyColumns = {
  id: true,
  kind: true,
  onDemand: true,
  startedAt: true,
  endedAt: true,
  outcome: true,
  reason: true,
  reasonDe: true,
  deals: true,
  objections: true,
  deleted: true,
} as const satisfies Prisma.CrmRunSelect;

/** A page of the runs of a connection, newest first. */
export const runList = (
  team: Team,
  { connectionId, ...page }: { connectionId: string; cursor?: string | undefined; limit: number },
) =>
  pageAfter(team, {
    list: `crm/runs&connectionId=${encodeURIComponent(connectionId)}`,
    position: z.tuple([z.uuid()]),
    query: page,
    read: async (after, limit) => {
      if (!isId(connectionId)) return { rows: [] };
      const rows = await team.platform.database.prisma.crmRun.findMany({
        where: { tenantId: team.id, connectionId, ...(after && { id: { lt: after[0] } }) },
        select: historyColumns,
        orderBy: { id: 'desc' },
        take: limit,
      });
      return { rows: rows.map(({ id, ...run }) => ({ runId: id, ...run })) };
    },
    positionOf: ({ runId }): [string] => [runId],
  });

export interface ClaimedRun extends ConnectionKey {
  readonly id: string;
  readonly claimId: string;
}

/**
 * The columns that are emptied at the end of a run: the claim, and the cursor, which may contain a person's address.
 */
const ended = { claimId: null, claimedUntil: null, cursor: null } as const;

interface RunEnd {
  endedAt: Date;
  reason?: Message;
}

const endOf = <End extends RunEnd>({ reason, ...end }: End) => ({
  ...end,
  ...(reason && { reason: reason.en, reasonDe: reason.de }),
});

const ifClaimed = ({ tenantId, id, claimId }: ClaimedRun) => ({ tenantId, id, claimId, endedAt: null });

export const runs = {
  /** The unfinished run of a connection, if there is one. */
  running: (tx: Tx, { tenantId, connectionId }: ConnectionKey) =>
    tx.crmRun.findFirst({
      where: { tenantId, connectionId, endedAt: null },
      select: { ...workColumns, deals: true, claimId: true, claimedUntil: true },
    }),

  /** The last run of a connection that has ended. */
  last: ({ prisma }: Database, { tenantId, connectionId }: ConnectionKey) =>
    prisma.crmRun.findFirst({
      where: { tenantId, connectionId, endedAt: { not: null } },
      select: { endedAt: true, outcome: true, reason: true, reasonDe: true },
      orderBy: { id: 'desc' },
    }),

  insert: (tx: Tx, data: Prisma.CrmRunUncheckedCreateInput) => tx.crmRun.create({ data, select: { id: true } }),

  insertAll: (tx: Tx, data: Prisma.CrmRunCreateManyInput[]) => tx.crmRun.createMany({ data }),

  claim: (tx: Tx, { tenantId, id, claimId }: ClaimedRun, data: { claimedUntil: Date; abandoned: number }) =>
    tx.crmRun.update({ where: whereKey({ tenantId, id }), data: { ...data, claimId }, select: { id: true } }),

  /** Changes a claimed run; false if the claim is lost. */
  update: async (tx: Tx, run: ClaimedRun, data: Prisma.CrmRunUncheckedUpdateManyInput) =>
    (await tx.crmRun.updateMany({ where: ifClaimed(run), data })).count > 0,

  end: (tx: Tx, run: ClaimedRun, data: RunEnd & { outcome: 'ok' | 'failed' }) =>
    runs.update(tx, run, { ...ended, ...endOf(data) }),

  /** Ends the unfinished run of a connection, if there is one, whichever worker has claimed it. */
  stop: (tx: Tx, { tenantId, connectionId }: ConnectionKey, data: RunEnd) =>
    tx.crmRun.updateMany({
      where: { tenantId, connectionId, endedAt: null },
      data: { ...ended, ...endOf(data), outcome: 'stopped' },
    }),

  get: ({ prisma }: Database, key: RowKey) =>
    prisma.crmRun.findFirst({
      where: key,
      select: { outcome: true, deals: true, objections: true, deleted: true, reason: true },
    }),

  /** Deletes the runs of a connection except the newest `kept` ones. */
  prune: async (tx: Tx, { tenantId, connectionId }: ConnectionKey, kept: number) => {
    const where = { tenantId, connectionId };
    const old = await tx.crmRun.findFirst({ where, select: { id: true }, orderBy: { id: 'desc' }, skip: kept });
    if (old) await tx.crmRun.deleteMany({ where: { ...where, id: { lte: old.id } } });
  },

  /** Deletes at most `limit` runs of a connection and returns their number. */
  removeSome: async (tx: Tx, { tenantId, connectionId }: ConnectionKey, limit: number) =>
    (await tx.crmRun.deleteMany({ where: { tenantId, connectionId }, limit })).count,

  /** Connections with an unfinished run that no worker has: its claim has expired, or its worker gave it back. */
  abandoned: async ({ prisma }: Database, now: Date, max: number) =>
    (
      await prisma.crmRun.findMany({
        where: { endedAt: null, claimedUntil: { lte: now } },
        select: { tenantId: true, connectionId: true, claimedUntil: true },
        orderBy: { claimedUntil: 'asc' },
        take: max,
      })
    ).map(({ claimedUntil, ...key }) => ({ ...key, since: claimedUntil })),
};

/** Runs in the team's export and in the erasure of a person. */
export const runData = teamTable({
  table: 'crm_run',
  values: ['id', 'connectionId', 'kind', 'onDemand', 'outcome', 'fetched', 'pages', 'deals', 'objections', 'deleted'],
  times: ['startedAt', 'endedAt', 'since'],
  texts: ['reason', 'reasonDe'],
  leftOut: {
    cursor: 'The state of a sync that runs.',
    claimId: 'The state of a sync that runs.',
    claimedUntil: 'The state of a sync that runs.',
    waits: 'The state of a sync that runs.',
    abandoned: 'The state of a sync that runs.',
  },
});
