import { privateCaseLimits, storageQuotas } from '../../core/limits.ts';
import type { Plan } from '../../db/generated/enums.ts';
import type { Team } from '../../platform/team.ts';
import { readUsage } from './store.ts';

export { addUsage, adjustUsage, byPlan, countUsage } from './store.ts';

/** `stored`: cases, assignments, trainings and evaluations. `answers`: the stored answers for `Idempotency-Key`. */
export type UsageKind = keyof (typeof storageQuotas)[Plan];

/** The bytes that a row counts for in addition to its content. The database functions `stored_bytes` use the same number. */
export const rowBytes = 512;

/** The bytes that texts of a row count for. */
export const textBytes = (...texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0);

export interface Usage {
  used: number;
  quota: number;
}

/** The bytes that a team stores, and the quotas of its plan. */
export const usageOf = async ({
  id,
  platform,
}: Team): Promise<Record<UsageKind, Usage> & { private_cases: Usage & { kept_days: number } }> => {
  const rows = await readUsage(platform.database, id);
  const rowOf = (kind: UsageKind) => {
    const row = rows.find((candidate) => candidate.kind === kind);
    if (!row) throw new Error(`the team ${id} has no storage counter`);
    return row;
  };
  const usageOfKind = (kind: UsageKind): Usage => {
    const { bytes, plan } = rowOf(kind);
    return { used: Number(bytes), quota: storageQuotas[plan][kind] };
  };
  const { private_bytes, plan } = rowOf('stored');
  const private_cases = {
    used: Number(private_bytes),
    quota: privateCaseLimits.ofAllTogether[plan],
    kept_days: privateCaseLimits.daysAfterMembership,
  };
  return { stored: usageOfKind('stored'), answers: usageOfKind('answers'), private_cases };
};
