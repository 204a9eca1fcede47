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

/** Prisma's statements that are prepared: with so many values at most, and so many different ones in a process. */
const prepared = { values: 50, statements: 1_000 };

/** PostgreSQL's own name for a statement that is used once. */
const unnamed = '';

/**
 * Names for the statements that Prisma writes. A list of another length gives another text, and a connection keeps each text that has a
 * name, with its plan, until it is closed: with a name for each of them, long lists would fill PostgreSQL's memory. Statements
 * without a name are planned each time and forgotten.
 */
export const makeStatementNames = () => {
  const names = new Map<string, string>();
  return ({ sql, args }: { sql: string; args: readonly unknown[] }): string => {
    if (args.length > prepared.values) return unnamed;
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= prepared.statements) return unnamed;
    const name = statementName(sql);
    names.set(sql, name);
    return name;
  };
};
