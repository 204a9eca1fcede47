import type { Vault } from './crypto.ts';

/** The keyset position after a page's last row. */
export type Position = readonly (string | number | boolean)[];

const purpose = 'cursor';

/**
 * A cursor is a position signed together with the list it belongs to (team, route and filter), so that one from another
 * list, or one that was changed on its way, is recognised.
 */
export const writeCursor = (vault: Vault, list: string, position: Position): string => {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${payload}.${vault.sign(purpose, `${list}\n${payload}`)}`;
};

/** The position in a cursor of this list, or undefined for anything else. */
export const readCursor = (vault: Vault, list: string, cursor: string): unknown => {
  const [payload = '', signature = '', ...rest] = cursor.split('.');
  if (rest.length > 0 || !vault.isSigned(purpose, `${list}\n${payload}`, signature)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
};
