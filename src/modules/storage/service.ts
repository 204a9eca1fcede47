import { privateCaseLimits, storageQuotas } from '../../core/limits.ts';
import type { Team as TeamRow } from '../../db/generated/client.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';

type Plan = TeamRow['plan'];

// How much a team stores is counted in `team_usage`, in the same statement that records the change or keeps the answer: it costs no
// round trip of its own, and the counter's row is locked only from there to the commit.

/** `stored`: cases and assignments. `answers`: what is kept for `Idempotency-Key`. */
export type UsageKind = keyof (typeof storageQuotas)[Plan];

/** What every row counts for beside its contents. The functions `stored_bytes` in the database say the same. */
export const rowBytes = 512;

/** What texts of a row count for. */
export const textBytes = (...texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0);

/** SQL: the number for the plan of `team`. */
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
 * The part of a statement that counts `bytes` (an SQL expression, negative where something is deleted) for the team of `$1`. It gives one row,
 * or none where that would exceed the quota of the team's plan; nothing is counted then. Less is always possible. Concurrent
 * transactions of one team wait here for each other, so the quota is never exceeded.
 */
export const countUsage = (kind: UsageKind, bytes: string): string =>
  `update team_usage usage set bytes = greatest(0, usage.bytes + (${bytes}))
     from team
    where team.id = $1::uuid and usage.tenant_id = $1::uuid and usage.kind = '${kind}'
      and ((${bytes}) <= 0 or usage.bytes + (${bytes}) <= ${quotaOf(kind)})
   returning 1`;

interface UsageRow {
  plan: Plan;
  kind: UsageKind;
  /** As text: a bigint. */
  bytes: string;
  /** Of the stored: what is in private cases. */
  private_bytes: string;
}

const usage = statement<UsageRow, [tenantId: string]>(
  `select team.plan, usage.kind, usage.bytes::text as bytes,
          (select coalesce(sum(private_bytes), 0) from team_user where tenant_id = $1)::text as private_bytes
     from team join team_usage usage on usage.tenant_id = team.id where team.id = $1`,
);

export interface Usage {
  used: number;
  quota: number;
}

/** How much a team stores, and how much its plan allows. */
export const usageOf = async ({
  id,
  platform,
}: Team): Promise<Record<UsageKind, Usage> & { private_cases: Usage & { kept_days: number } }> => {
  const rows = await platform.database.rows(usage, id);
  const rowOf = (kind: UsageKind): UsageRow => {
    const row = rows.find((candidate) => candidate.kind === kind);
    if (!row) throw new Error(`team ${id} has no counter of what it stores`);
    return row;
  };
  const of = (kind: UsageKind): Usage => {
    const { bytes, plan } = rowOf(kind);
    return { used: Number(bytes), quota: storageQuotas[plan][kind] };
  };
  const { private_bytes, plan } = rowOf('stored');
  const private_cases = {
    used: Number(private_bytes),
    quota: privateCaseLimits.ofAllTogether[plan],
    kept_days: privateCaseLimits.daysAfterMembership,
  };
  return { stored: of('stored'), answers: of('answers'), private_cases };
};
