import { hash } from 'node:crypto';
import { runOn, type Database, type Tx } from '../../src/db/database.ts';
import type { Query } from '../../src/db/query.ts';

/** An SQL statement of a test with the types of its rows and its values (`$1`, `$2` …). */
export interface Statement<Row extends object, Values extends unknown[]> {
  readonly text: string;
  /** Only for types. */
  readonly shape?: (values: Values) => Row;
}

export const statement = <Row extends object, Values extends unknown[]>(text: string): Statement<Row, Values> => ({
  text,
});

/** Runs it as a named query without declared columns, in a transaction or outside of one. */
export const rowsOf = async <Row extends object, Values extends unknown[]>(
  connection: Tx | Database,
  { text }: Statement<Row, Values>,
  ...values: Values
): Promise<Row[]> => {
  const order = values.map((_, index) => String(index));
  const name = `test_${hash('sha1', text)}`;
  const query: Query = { name, why: 'a test', text, statement: name, parameters: {}, order, row: {}, examined: [] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- the test says what rows it reads
  return (await runOn(connection, query, Object.fromEntries(values.entries()))) as Row[];
};
