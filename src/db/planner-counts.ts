import type { Database } from './database.ts';
import { float, listOf, query, text, statement } from './query.ts';

/** In a table with fewer pages a wrong plan costs little. */
const fewestPages = 50;

/**
 * The tables and partitions for which the planner expects fewer rows than `fewest`. It multiplies the last known density by the current
 * size.
 */
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
 * Updates the statistics of tables that the planner takes for almost empty. If a table was empty at its last count and many rows were
 * added since, the planner still expects one row, and a join reads the whole table for each row of the other side. Autovacuum comes only
 * a minute later, and a running statement keeps its plan.
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
