import type { Database } from './database.ts';
import { float, listOf, query, text } from './query.ts';
import { statement } from './statement.ts';

/** With fewer pages a wrong plan costs little. */
const fewestPages = 50;

/** The tables and partitions for which the planner expects fewer rows than `fewest`: it multiplies the density it once saw by the size of today. */
const seemEmpty = query({
  name: 'db.seemEmpty',
  why: 'reads the catalogue of PostgreSQL',
  sql: `select class.oid::regclass::text as name
          from pg_class class, lateral (select pg_relation_size(class.oid)::float8 / 8192 as pages) as size
         where class.relkind = 'r' and class.relpages > 0 and size.pages >= ${fewestPages}
           and class.reltuples / class.relpages * size.pages < :fewest
           and (class.oid = any(:tables::text[]::regclass[])
                or class.oid in (select inhrelid from pg_inherits where inhparent = any(:tables::text[]::regclass[])))`,
  parameters: { tables: listOf(text), fewest: float },
  row: { name: text.checked },
});

/**
 * Has PostgreSQL count the rows of tables that it takes for almost empty. A table that was empty when it was last counted, and in which a
 * crowd arrived since, is planned for as if it had one row: a join reads all of it for each row of the other side. Autovacuum comes around
 * only a minute later, and a statement that has begun keeps its plan.
 */
export const countWhatSeemsEmpty = async (
  database: Database,
  tables: readonly string[],
  fewest: number,
): Promise<void> => {
  for (const { name } of await database.run(seemEmpty, { tables, fewest })) {
    await database.rows(statement(`analyze (skip_locked) ${name}`));
  }
};
