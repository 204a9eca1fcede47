import { hash } from 'node:crypto';

/** A hand-written SQL statement with the types of its values and rows. */
export interface Statement<Row extends object, Values extends unknown[]> {
  readonly name: string;
  readonly text: string;
  /** Only types: what the statement takes and gives. */
  readonly shape?: (values: Values) => Row;
}

/** The same text gets the same name, so PostgreSQL plans it once per connection. */
export const statementName = (text: string): string => `s_${hash('sha1', text)}`;

export const statement = <Row extends object, Values extends unknown[]>(text: string): Statement<Row, Values> => ({
  name: statementName(text),
  text,
});
