import { limits } from '../core/limits.ts';

/** What a row takes in an answer besides its large columns: ids, times, and the names of all fields. */
const rowOverhead = 512;

/** A full page of rows whose large columns have at most so many bytes each is within the budget, whatever they are. */
export const smallRowBytes = Math.floor(limits.pageBytes / (limits.pageSize.most + 1)) - rowOverhead;

interface Budgeted {
  /** A select of the page's rows in its order and with its limit, one more than the page has. */
  page: string;
  /** The order, in the page's columns. */
  order: string;
  /** What is selected of the rows that fit, `more` among it: only here a large column is read. */
  columns: string;
  /** How many bytes a row's large columns take, in the page's columns. It must not read them. */
  bytes: string;
}

/**
 * SQL of a page that ends where its rows come to the budget; the first row is always on it. Each row says in `more` whether another
 * follows it. The rows behind the end cost their sizes and nothing else: a large column is a pointer until it is selected.
 */
export const withinBudget = ({ page, order, columns, bytes }: Budgeted): string =>
  `select ${columns}
     from (select page.*, lead(true, 1, false) over in_order as more, sum(${bytes} + ${rowOverhead}) over in_order as total,
                  row_number() over in_order as place
             from (${page}) as page
           window in_order as (order by ${order} rows unbounded preceding)) as page
    where place = 1 or total <= ${limits.pageBytes}
    order by ${order}`;
