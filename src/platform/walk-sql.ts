import { withinBudget } from './page-budget.ts';

/** How many rows one page looks at to find those that pass its filter. */
const lookedAt = 5_000;

/** Columns with their values. */
type Columns = Readonly<Record<string, string>>;

interface WalkSql {
  table: string;
  columns: string;
  /** What all rows of the walk have in common besides the tenant, `$1`. */
  common?: Columns;
  /** What orders them, and the position behind which the walk begins. An index has these columns behind the common ones. */
  below: Columns;
  /** Where it ends, by the first of them. */
  least?: Columns;
  /** What else holds for every row of the walk. */
  also?: string;
  /** What passes. */
  filter: string;
  /** How many bytes a row takes that may be large: the page ends at its budget. */
  bytes?: string;
}

const tuple = (parts: readonly string[]): string => `(${parts.join(', ')})`;

/**
 * For `walkPage`: up to `$2` rows that pass a filter, of the next few thousand. It looks no further than it must for them. Where
 * there are fewer, every row says which row the walk stopped at (`stopped_…`), if it goes on behind it; without anything found
 * there is one row that says only this. With `bytes`, the last row says in `more` whether the page's budget ended before those.
 *
 * What the rows have in common stands as a range and in the order, so that only an index that begins with it gives the order. Its
 * values, and how far the walk goes, stand as questions, so that no guess of how few rows those are makes them all be read and
 * sorted: one team may have a thousand times what others have.
 */
export const walkSql = ({ table, columns, common = {}, below, least = {}, also, filter, bytes }: WalkSql): string => {
  const asked = Object.values(common).map((value) => `(select ${value})`);
  const from = {
    columns: [...Object.keys(common), ...Object.keys(least)],
    values: [...asked, ...Object.values(least)],
  };
  const until = {
    columns: [...Object.keys(common), ...Object.keys(below)],
    values: [...asked, ...Object.values(below)],
  };
  const range = [
    `tenant_id = $1 and ${tuple(until.columns)} < ${tuple(until.values)}`,
    ...(from.columns.length === 0 ? [] : [`${tuple(from.columns)} >= ${tuple(from.values)}`]),
    ...(also === undefined ? [] : [also]),
  ].join(' and ');
  const order = until.columns.map((column) => `${column} desc`).join(', ');
  const position = Object.keys(below).map((column) => `${column} as stopped_${column}`);
  return `with found as materialized (
     select *
       from (select ${columns} from ${table} where ${range} order by ${order} limit (select ${lookedAt})) as walked
      where ${filter} order by ${order} limit $2),
   page as (${bytes === undefined ? 'select * from found' : withinBudget({ page: 'select * from found', order, columns: `${columns}, more`, bytes })})
   select page.*, stop.*
     from (select) as one
     left join (
       select ${position.join(', ')} from ${table}
        where ${range} and (select count(*) from found) < $2
        order by ${order} offset (select ${lookedAt - 1}) limit (select 1)) as stop on true
     left join page on true
    order by ${order}`;
};
