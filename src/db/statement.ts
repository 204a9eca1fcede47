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

/** More values than this are a list of the caller's (`in`, `createMany`): no statement of a fixed length has so many. */
const mostNamedValues = 32;
/** Prisma's texts in the whole code come to a few hundred. */
const mostNames = 1_000;
const unnamed = '';
const names = new Map<string, string>();

/**
 * The name of a statement of Prisma's, or none. PostgreSQL and the driver keep every named statement for the life of a connection, and Prisma
 * writes a new text for every length of a list: statements with many values have no name, and are planned each time.
 */
export const nameOfPrisma = ({ sql, args }: { sql: string; args: readonly unknown[] }): string => {
  if (args.length > mostNamedValues) return unnamed;
  const known = names.get(sql);
  if (known !== undefined) return known;
  if (names.size >= mostNames) return unnamed;
  const name = statementName(sql);
  names.set(sql, name);
  return name;
};
