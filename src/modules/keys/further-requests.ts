import { english } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { lockRow } from '../../db/lock-row.ts';
import type { Team } from '../../platform/team.ts';
import type { Budgets, NamedBudget } from './admission.ts';
import { keys } from './store.ts';

/**
 * Counts further requests in the budgets of a key and its team, for a request that the gate has admitted and counted
 * once. It counts all of them, or none if one of the budgets has no room for all.
 */
export const countFurther = async (
  team: Team,
  keyId: string,
  requests: number,
): Promise<Budgets & { isCounted: boolean }> => {
  const { database } = team.platform;
  const max = { team: team.rateLimitPerMin, key: limits.requestsPerKeyPerMinute };
  const all = requests + 1;
  if (all > Math.min(max.team, max.key)) {
    const detail = `It counts as ${all} requests, more than the budget of a minute. Send fewer items at once.`;
    fail('validation_error', { field: 'items', detail: english(detail) });
  }
  const rows = await database.transaction(
    async (tx) => {
      // The rows are locked in the order of the gate, so that this function and the gate do not deadlock.
      lockRow(tx, 'request_budget', { subject: team.id });
      lockRow(tx, 'request_budget', { subject: keyId });
      return keys.countFurther(tx, { teamId: team.id, keyId, requests, teamMax: max.team, keyMax: max.key });
    },
    { group: team.id },
  );
  const isCounted = rows.every((row) => row.isCounted);
  const budgets = rows.map(({ isTeam, used, resetSeconds }): NamedBudget => {
    const name = isTeam ? 'team' : 'key';
    return { name, limit: max[name], left: Math.max(0, max[name] - used), resetSeconds };
  });
  const lacking = budgets.filter(({ left }) => left < requests);
  const [budget] = isCounted
    ? budgets.toSorted((one, other) => one.left - other.left || other.resetSeconds - one.resetSeconds)
    : lacking.toSorted((one, other) => other.resetSeconds - one.resetSeconds);
  if (!budget) throw new Error('a request has no budget');
  return { isCounted, budget, budgets };
};
