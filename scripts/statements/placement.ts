import type pg from 'pg';
import { localTables, referencesLeftOut, referenceTables } from '../../src/db/cells/distributed-tables.ts';

// A distributed database (see src/db/cells/distributed-tables.ts) refuses an index, reference or trigger that would
// have to look at the rows of several teams; so the schema has none, not even on a single machine.

/** The column with the team's id. */
const tenantOf = `case t.relname when 'team' then 'id' else 'tenant_id' end`;

const isElsewhere = `(t.relname = any ($1) or t.relname = any ($2))`;

/** Our tables: `own`, with the column of the team. `$1` are the reference tables, `$2` those of the first machine. */
const own = `own as (
  select t.oid, t.relname::text as name, ${isElsewhere} as elsewhere, a.attnum as tenant, a.attnotnull as never_null
    from pg_class t left join pg_attribute a on a.attrelid = t.oid and a.attname = ${tenantOf} and not a.attisdropped
   where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and t.relname <> '_prisma_migrations'
)`;

const rules = [
  `select name || ' has no team in each row: is it of another place?' as flaw from own
    where not elsewhere and never_null is not true`,

  `select 'the index ' || i.relname || ' is unique without the team'
     from own join pg_index x on x.indrelid = own.oid join pg_class i on i.oid = x.indexrelid
    where not elsewhere and x.indisunique and not own.tenant = any (x.indkey[0:x.indnkeyatts - 1])`,

  // Both sides have the team at the same position.
  `select 'the reference ' || c.conname || ' is without the team'
     from pg_constraint c join own on own.oid = c.conrelid join own to_ on to_.oid = c.confrelid
    where c.contype = 'f' and not own.elsewhere and not to_.elsewhere
      and not exists (select from unnest(c.conkey, c.confkey) as pair (ours, theirs)
                       where pair.ours = own.tenant and pair.theirs = to_.tenant)`,

  `select 'the reference ' || c.conname || ' changes rows when a key changes, or removes the team from rows'
     from pg_constraint c join own on own.oid = c.conrelid
    where c.contype = 'f' and (c.confupdtype not in ('a', 'r') or c.confdeltype not in ('a', 'r', 'c'))`,

  `select 'the reference ' || c.conname || ' is between tables of different places'
     from pg_constraint c join own on own.oid = c.conrelid join own to_ on to_.oid = c.confrelid
    where c.contype = 'f' and c.conname <> all ($3)
      and (own.elsewhere and not to_.elsewhere or not own.elsewhere and to_.name = any ($2))`,

  `select 'the table ' || name || ' has the trigger ' || g.tgname
     from own join pg_trigger g on g.tgrelid = own.oid where not g.tgisinternal`,

  `select 'the function ' || p.proname || ' has rows of ' || name || ' as an argument or result'
     from own join pg_type y on y.typrelid = own.oid
     join pg_proc p on y.oid = any (p.proargtypes) or y.oid = p.prorettype or y.typarray = any (p.proargtypes)
    where p.pronamespace = 'public'::regnamespace`,
];

/** The parts of the schema that a distributed database would refuse, one line each. */
export const flawsOfPlacement = async (client: pg.ClientBase): Promise<string[]> => {
  const { rows } = await client.query<{ flaw: string }>(`with ${own} ${rules.join(' union all ')} order by 1`, [
    referenceTables,
    Object.keys(localTables),
    referencesLeftOut,
  ]);
  return rows.map(({ flaw }) => flaw);
};
