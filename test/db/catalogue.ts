import type pg from 'pg';

/** PostgreSQL's catalogue of a database: the key names the thing, the value describes it. */
export type Catalogue = Map<string, string>;

export const readCatalogue = async (client: pg.Client): Promise<Catalogue> => {
  const { rows } = await client.query<{ key: string; value: string }>(statements.join('\nunion all\n'));
  return new Map(rows.map(({ key, value }) => [key, value]));
};

/** Our tables, without Prisma's own table. */
const tables = `(
  select * from pg_class
   where relnamespace = 'public'::regnamespace and relkind = 'r'
     and relname <> '_prisma_migrations'
)`;

const statements = [
  `select 'table ' || relname as key,
          case when relpersistence = 'u' then 'unlogged' else 'plain' end as value
     from ${tables} t`,

  `select 'column ' || t.relname || '.' || attname,
          format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end
            || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
            || case when attidentity <> '' then ' identity' else '' end
            || case when attgenerated <> '' then ' generated' else '' end
     from ${tables} t join pg_attribute on attrelid = t.oid left join pg_attrdef on adrelid = t.oid and adnum = attnum
    where attnum > 0 and not attisdropped`,

  `select case contype when 'c' then 'check ' when 'x' then 'exclusion ' else 'key ' end || t.relname || '.' || conname,
          pg_get_constraintdef(c.oid)
     from pg_constraint c join ${tables} t on t.oid = conrelid
    where contype in ('p', 'u', 'f', 'c', 'x')`,

  `select 'index ' || i.relname, pg_get_indexdef(i.oid)
     from pg_index x join pg_class i on i.oid = indexrelid join ${tables} t on t.oid = indrelid
    where not exists (select from pg_constraint where conindid = i.oid and contype in ('p', 'u', 'x'))`,

  `select 'trigger ' || t.relname || '.' || tgname, pg_get_triggerdef(g.oid)
     from pg_trigger g join ${tables} t on t.oid = tgrelid where not tgisinternal`,

  `select 'enum ' || typname, string_agg(enumlabel, ', ' order by enumsortorder)
     from pg_enum join pg_type t on t.oid = enumtypid where typnamespace = 'public'::regnamespace group by typname`,

  `select 'function ' || proname, pg_get_function_identity_arguments(oid)
     from pg_proc where pronamespace = 'public'::regnamespace`,
];
