import { makeId } from '../../core/ids.ts';
import { catalogMessages } from '../../core/messages/trainings.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { catalogLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction, type Team } from '../../platform/team.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import { record, type AuditAction } from '../audit/service.ts';
import { managedItem, managedItems } from './service.ts';
import { ruledDimensions, type NewSituationRules, type SituationRules } from './schema.ts';
import { catalogRules } from './store.ts';

export interface Rule {
  kind: 'only' | 'never';
  itemId: string;
}

interface RulesChange {
  added: Rule[];
  removed: (Rule & { id: string })[];
}

const nameOf = ({ kind, itemId }: Rule): string => `${kind} ${itemId}`;

/** Replaces one owner's rules for these situations, and returns the changes of each situation whose rules changed. */
export const replaceRules = async (
  tx: Tx,
  { tenantId, now }: { tenantId: string | null; now: Date },
  wanted: ReadonlyMap<string, readonly Rule[]>,
): Promise<Map<string, RulesChange>> => {
  const rows = await catalogRules.about(tx, tenantId, [...wanted.keys()]);
  const present = Map.groupBy(rows, ({ situationId }) => situationId);
  const changes = new Map<string, RulesChange>();
  for (const [situationId, rules] of wanted) {
    const before = present.get(situationId) ?? [];
    const [known, named] = [new Set(before.map(nameOf)), new Set(rules.map(nameOf))];
    const added = rules.filter((rule) => !known.has(nameOf(rule)));
    const removed = before.filter((rule) => !named.has(nameOf(rule)));
    if (added.length + removed.length > 0) changes.set(situationId, { added, removed });
  }
  await catalogRules.remove(
    tx,
    tenantId,
    [...changes.values()].flatMap(({ removed }) => removed.map(({ id }) => id)),
  );
  await catalogRules.insertAll(
    tx,
    [...changes].flatMap(([situationId, { added }]) =>
      added.map((rule) => ({ id: makeId(), tenantId, situationId, ...rule, createdAt: now })),
    ),
  );
  return changes;
};

const refuseRuled = (field: 'only' | 'never'): never =>
  fail('validation_error', { field, detail: catalogMessages.notRuled });

/**
 * Refuses the changes just made if the team now has too many rules of its own. Changes that do not increase their
 * number are always possible. The team must be locked.
 */
export const keepRulesWithinMax = async (
  tx: Tx,
  team: Team,
  changes: ReadonlyMap<string, RulesChange>,
): Promise<void> => {
  const { ownRules } = catalogLimits;
  const difference = [...changes.values()].reduce((sum, { added, removed }) => sum + added.length - removed.length, 0);
  if (difference > 0 && (await catalogRules.count(tx, team.id)) > ownRules) {
    fail('validation_error', { field: 'rules', detail: catalogMessages.rules(ownRules) });
  }
};

const noted = (rules: readonly Rule[]) => rules.map(({ kind, itemId }) => ({ kind, itemId }));

export const rulesAction = (situationId: string, { added, removed }: RulesChange): AuditAction => ({
  action: 'catalog.rules_changed',
  target: { type: 'catalog_item', id: situationId },
  data: { added: noted(added), removed: noted(removed) },
});

const requireSituation = async (tx: Tx, team: Team, id: string): Promise<void> => {
  if ((await managedItem(tx, team, id)).dimension !== 'situation') fail('not_found');
};

const read = async (tx: Tx, team: Team, situationId: string): Promise<Camel<SituationRules>> => {
  const rows = await catalogRules.ofSituation(tx, team.id, situationId);
  const ids = (those: typeof rows, kind: Rule['kind']) =>
    those.filter((row) => row.kind === kind).map(({ itemId }) => itemId);
  const by = (tenantId: string | null) => {
    const those = rows.filter((row) => row.tenantId === tenantId);
    return { only: ids(those, 'only'), never: ids(those, 'never') };
  };
  return { situationId, global: by(null), own: by(team.id) };
};

/** The rules of a situation, global ones and the team's. */
export const rulesOf = (team: Team, situationId: string): Promise<Camel<SituationRules>> =>
  inTransaction(team, async (tx) => {
    await requireSituation(tx, team, situationId);
    return read(tx, team, situationId);
  });

/**
 * Replaces the team's rules for a situation, which may be global or the team's own. They add to the global rules: an
 * `only` adds to those of the same dimension, and a global `never` can't be removed.
 */
export const setRules = (
  caller: Team,
  { situationId, only, never }: Camel<NewSituationRules>,
): Promise<Camel<SituationRules>> =>
  inLockedTeam(caller, async (tx, team) => {
    await requireSituation(tx, team, situationId);
    const { own } = await read(tx, team, situationId);
    // Items of existing rules may be unpublished by now, so only new items are checked: a new rule can name only items
    // that an admin can manage.
    const known = new Set([...own.only, ...own.never]);
    const named = [...only, ...never].filter((id) => !known.has(id));
    const items = await managedItems(tx, team, named);
    const isRuled = (id: string) =>
      known.has(id) || ruledDimensions.some((dimension) => dimension === items.get(id)?.dimension);
    if (!only.every(isRuled)) refuseRuled('only');
    if (!never.every(isRuled)) refuseRuled('never');
    if (never.some((id) => only.includes(id))) {
      fail('validation_error', { field: 'never', detail: catalogMessages.onlyAndNever });
    }

    const rules: Rule[] = [
      ...[...new Set(only)].map((itemId) => ({ kind: 'only' as const, itemId })),
      ...[...new Set(never)].map((itemId) => ({ kind: 'never' as const, itemId })),
    ];
    const now = team.platform.clock.now();
    const changes = await replaceRules(tx, { tenantId: team.id, now }, new Map([[situationId, rules]]));
    await keepRulesWithinMax(tx, team, changes);
    for (const [id, change] of changes) record(tx, team, rulesAction(id, change));
    return read(tx, team, situationId);
  });
