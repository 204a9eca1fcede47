import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';

interface Named {
  id: string;
  /** Where something is called the same in every language, only the first is given. */
  de: string | null;
  en?: string | null;
}

/** Titles from before they were limited may be longer. */
const longestName = limits.titleCharacters;

const naming = (select: string) => statement<Named, [tenantId: string, ids: string[]]>(select);

/** How to name what entries point at, all that a page shows of one kind at once. */
const statements = new Map(
  Object.entries({
    key: naming(`select id, name as de from api_key where tenant_id = $1 and id = any ($2::uuid[])`),
    // Without a name, the address that the team knew them by last: their own may be another by now.
    person: naming(
      `select u.id, coalesce(p.name, (select m.email from member m where m.tenant_id = u.tenant_id and m.user_id = u.id
                                       order by m.listed_at desc limit 1)) as de
         from team_user u join person p on p.id = u.person_id
        where u.tenant_id = $1 and u.id = any ($2::uuid[])`,
    ),
    member: naming(
      `select m.id, coalesce(p.name, m.email) as de
         from member m
         left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
         left join person p on p.id = u.person_id
        where m.tenant_id = $1 and m.id = any ($2::uuid[])`,
    ),
    team: naming(`select id, name as de from team where id = $1 and id = any ($2::uuid[])`),
    assignment: naming(
      `select id, left(title, ${longestName}) as de from assignment where tenant_id = $1 and id = any ($2::uuid[])`,
    ),
    // A private case keeps its title to itself.
    case: naming(
      `select id, left(title, ${longestName}) as de from "case" where tenant_id = $1 and id = any ($2::uuid[]) and not private`,
    ),
    catalog_item: naming(
      `select id, name_de as de, name_en as en from catalog_item
        where id = any ($2::uuid[]) and (tenant_id is null or tenant_id = $1)`,
    ),
    crm_connection: naming(
      `select id, provider as de from crm_connection where tenant_id = $1 and id = any ($2::uuid[])`,
    ),
    webhook_endpoint: naming(
      `select id, url as de from webhook_endpoint where tenant_id = $1 and id = any ($2::uuid[])`,
    ),
  }),
);

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
    const select = statements.get(type);
    const ids = [...new Set(those.flatMap(({ id }) => (id !== null && isId(id) ? [id] : [])))];
    if (!select || ids.length === 0) return;
    for (const { id, de, en = null } of await platform.database.rows(select, tenantId, ids)) {
      names.set(keyOf({ type, id }), (language === 'en' ? en : de) ?? de ?? en);
    }
  });
  await Promise.all(naming);
  return (thing) => names.get(keyOf(thing)) ?? null;
};
