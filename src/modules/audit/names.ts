import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import type { Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';

/** Something that an entry names, as actor or as target. */
export interface Thing {
  type: string;
  id: string | null;
}

const keyOf = ({ type, id }: Thing): string => `${type} ${id}`;

/** What things are called now: one query for each kind of thing there is among them. */
export const nameThings = async (
  { id: tenantId, platform }: Team,
  language: Language,
  things: readonly Thing[],
): Promise<(thing: Thing) => string | null> => {
  const names = new Map<string, string | null>();
  const byType = Map.groupBy(things, ({ type }) => type);
  const naming = [...byType].map(async ([type, those]) => {
    const ids = [...new Set(those.flatMap(({ id }) => (id !== null && isId(id) ? [id] : [])))];
    if (ids.length === 0) return;
    for (const { id, de, en } of await reports.names(platform.database, tenantId, { type, ids })) {
      names.set(keyOf({ type, id }), (language === 'en' ? en : de) ?? de ?? en);
    }
  });
  await Promise.all(naming);
  return (thing) => names.get(keyOf(thing)) ?? null;
};
