import { newId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import type { Deed } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { managedItem, managedItems } from './reading.ts';
import { ruledDimensions } from './schema.ts';
import type { Item, NewSituationRules, RuleIds, SituationRules } from './schema.ts';

export interface Rule {
  kind: 'only' | 'never';
  itemId: string;
}

export interface RulesChange {
  added: Rule[];
  removed: Rule[];
}

const nameOf = ({ kind, itemId }: Rule): string => `${kind} ${itemId}`;

/** Gives situations exactly these rules of one owner, and tells what changed of those where something did. */
export const replaceRules = async (
  tx: Tx,
  { tenantId, now }: { tenantId: string | null; now: Date },
  wanted: ReadonlyMap<string, readonly Rule[]>,
): Promise<Map<string, RulesChange>> => {
  const rows = await tx.catalogRule.findMany({ where: { tenantId, situationId: { in: [...wanted.keys()] } } });
  const present = Map.groupBy(rows, ({ situationId }) => situationId);
  const changes = [...wanted].map(([situationId, rules]) => {
    const before = present.get(situationId) ?? [];
    const [known, named] = [new Set(before.map(nameOf)), new Set(rules.map(nameOf))];
    const added = rules.filter((rule) => !known.has(nameOf(rule)));
    const gone = before.filter((rule) => !named.has(nameOf(rule)));
    return { situationId, added, gone };
  });
  const goneIds = changes.flatMap(({ gone }) => gone.map(({ id }) => id));
  await tx.$executeRaw`delete from catalog_rule where id = any(${goneIds}::uuid[])`;
  await tx.catalogRule.createMany({
    data: changes.flatMap(({ situationId, added }) =>
      added.map((rule) => ({ id: newId(), tenantId, situationId, ...rule, createdAt: now })),
    ),
  });
  return new Map(
    changes
      .filter(({ added, gone }) => added.length + gone.length > 0)
      .map(({ situationId, added, gone }) => [
        situationId,
        { added, removed: gone.map(({ kind, itemId }) => ({ kind, itemId })) },
      ]),
  );
};

const noted = (rules: readonly Rule[]) => rules.map(({ kind, itemId }) => ({ kind, item_id: itemId }));

export const rulesDeed = (situationId: string, { added, removed }: RulesChange): Deed => ({
  action: 'catalog.rules_changed',
  target: { type: 'catalog_item', id: situationId },
  data: { added: noted(added), removed: noted(removed) },
});

const needSituation = (item: Item): void => {
  if (item.dimension !== 'situation') fail('not_found');
};

const read = async (tx: Tx, team: Team, situationId: string): Promise<SituationRules> => {
  const rows = await tx.catalogRule.findMany({
    where: { situationId, OR: [{ tenantId: team.id }, { tenantId: null }] },
    orderBy: { id: 'asc' },
  });
  const of = (tenantId: string | null): RuleIds => {
    const ids = (kind: Rule['kind']) =>
      rows.filter((row) => row.tenantId === tenantId && row.kind === kind).map(({ itemId }) => itemId);
    return { only: ids('only'), never: ids('never') };
  };
  return { situation_id: situationId, global: of(null), own: of(team.id) };
};

/** The rules of a situation, everybody's and the team's. */
export const rulesOf = (team: Team, situationId: string): Promise<SituationRules> =>
  inTransaction(team, async (tx) => {
    needSituation(await managedItem(tx, team, situationId));
    return read(tx, team, situationId);
  });

/**
 * Gives a situation, be it the team's own or everybody's, exactly these rules of the team's. They stand beside everybody's: an
 * `only` adds to those of the same dimension, a `never` of everybody's can't be lifted.
 */
export const setRules = (
  caller: Team,
  { situation_id: situationId, only, never }: NewSituationRules,
): Promise<SituationRules> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    needSituation(await managedItem(tx, team, situationId));
    const { own } = await read(tx, team, situationId);
    // What the team had a rule about may be unpublished since, and nothing that an admin could name anew.
    const known = new Set([...own.only, ...own.never]);
    const named = [...only, ...never].filter((id) => !known.has(id));
    const items = await managedItems(tx, team, named);
    const isRuled = (id: string) =>
      known.has(id) || ruledDimensions.some((dimension) => dimension === items.get(id)?.dimension);
    if (!only.every(isRuled)) fail('validation_error', { field: 'only' });
    if (!never.every(isRuled) || never.some((id) => only.includes(id))) fail('validation_error', { field: 'never' });

    const rules: Rule[] = [
      ...[...new Set(only)].map((itemId) => ({ kind: 'only' as const, itemId })),
      ...[...new Set(never)].map((itemId) => ({ kind: 'never' as const, itemId })),
    ];
    const now = team.platform.clock.now();
    const changes = await replaceRules(tx, { tenantId: team.id, now }, new Map([[situationId, rules]]));
    for (const [id, change] of changes) await record(tx, team, rulesDeed(id, change));
    return read(tx, team, situationId);
  });
