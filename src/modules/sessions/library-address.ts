import { prismaAdapter } from 'better-auth/adapters/prisma';
import type { Database } from '../../db/database.ts';

const domain = '@address.invalid';

/**
 * An address as the sign-in library gets it. It refuses some that mail can be sent to (`a&b@x.example`), so each is passed in
 * letters and digits and read again where the library asks the database for it. All are, so that nobody can give such a text
 * in place of their address and be counted as somebody else.
 */
export const toLibrary = (email: string): string => `${Buffer.from(email).toString('hex')}${domain}`;

const fromLibrary = (text: string): string =>
  text.endsWith(domain) ? Buffer.from(text.slice(0, -domain.length), 'hex').toString() : text;

/** The library's way to our tables. */
export const libraryDatabase = ({ prisma }: Database) => {
  const open = prismaAdapter(prisma, { provider: 'postgresql' });
  return (options: Parameters<typeof open>[0]): ReturnType<typeof open> => {
    const adapter = open(options);
    const findOne: typeof adapter.findOne = ({ where, ...query }) =>
      adapter.findOne({
        ...query,
        where: where.map((condition) =>
          condition.field === 'email' && typeof condition.value === 'string'
            ? { ...condition, value: fromLibrary(condition.value) }
            : condition,
        ),
      });
    return { ...adapter, findOne };
  };
};
