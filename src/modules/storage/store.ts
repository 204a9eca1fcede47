import { storageQuotas } from '../../core/limits.ts';
import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { Plan, UsageKind } from '../../db/generated/enums.ts';
import { bigint, oneOf, query, text, uuid } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `team_usage`, and the SQL with which other modules count stored bytes. They count in the statement that writes, so counting
// needs no round trip and locks the counter only until the commit.

/** SQL for a number that depends on the plan of `team`. */
export const byPlan = ({ basic, team, enterprise }: Readonly<Record<Plan, number>>): string =>
  `case team.plan when 'basic' then ${basic}
                  when 'team' then ${team}
                  else ${enterprise} end`;

const quotaOf = (kind: UsageKind): string =>
  byPlan({
    basic: storageQuotas.basic[kind],
    team: storageQuotas.team[kind],
    enterprise: storageQuotas.enterprise[kind],
  });

/**
 * SQL that adds `bytes` (an SQL expression, negative for a deletion) to the storage of the team `:tenantId`. It returns one row. If that
 * exceeded the quota, it adds nothing and returns no row; deletions always succeed. Concurrent transactions of one team wait for each other
 * here, so the quota is never exceeded.
 */
export const countUsage = (kind: UsageKind, bytes: string): string =>
  `update team_usage usage set bytes = greatest(0, usage.bytes + (${bytes}))
     from team
    where team.id = :tenantId::uuid and usage.tenant_id = :tenantId::uuid and usage.kind = '${kind}'
      and ((${bytes}) <= 0 or usage.bytes + (${bytes}) <= ${quotaOf(kind)})
   returning 1`;

/** Adds the bytes of an operator's import, without the quota. */
export const addUsage = (tx: Tx, tenantId: string, bytes: number) =>
  tx.teamUsage.updateMany({ where: { tenantId, kind: 'stored' }, data: { bytes: { increment: bytes } } });

const adjust = query({
  name: 'storage.adjust',
  why: 'adds with a lower bound: Prisma’s increment has none',
  sql: `update team_usage set bytes = greatest(0, bytes + :bytes::bigint) where tenant_id = :tenantId and kind = 'stored'`,
  parameters: { tenantId: uuid, bytes: bigint },
  row: {},
});

/** Adds the (negative) bytes of an erasure. Call it last in a transaction, because it locks the team's counter until the commit. */
export const adjustUsage = (tx: Tx, tenantId: string, bytes: number) => runIn(tx, adjust, { tenantId, bytes });

const usage = query({
  name: 'storage.usage',
  why: 'reads the plan, both counters and the sum of private cases, of one moment',
  sql: `select team.plan, usage.kind, usage.bytes::text as bytes,
               (select coalesce(sum(private_bytes), 0) from team_user where tenant_id = :tenantId)::text as private_bytes
          from team join team_usage usage on usage.tenant_id = team.id where team.id = :tenantId`,
  parameters: { tenantId: uuid },
  row: {
    plan: oneOf('plan', Plan),
    kind: oneOf('usage_kind', UsageKind),
    /** A bigint as text. */
    bytes: text.checked,
    /** The part of the stored bytes that private cases take. */
    private_bytes: text.checked,
  },
});

/** The bytes that a team stores, by kind. */
export const readUsage = (database: Database, tenantId: string) => database.run(usage, { tenantId });

/** The counters in the team's export. */
export const usageData = teamTable({
  module: 'storage',
  rows: 'from team_usage',
  file: 'storage.json',
  key: { kind: 'text' },
  values: ['kind', 'bytes'],
});
