import type { Platform } from './platform.ts';

/** Something of a table that is kept sealed; its id is the context that it was sealed for. */
export interface Kept {
  readonly id: string;
  readonly sealed: Uint8Array;
}

interface Store<Row extends Kept> {
  /** What it is sealed for. */
  purpose: string;
  /** The next ones in the table's order, behind the one given; none, when all were seen. */
  next(last: Row | undefined): Promise<readonly Row[]>;
  /** Writes one anew unless it was changed meanwhile; whether it did. */
  replace(row: Row, sealed: Uint8Array): Promise<boolean>;
}

export interface Resealed {
  resealed: number;
  /** Those that a former secret still seals, because so many were sealed anew already as were asked for. */
  left: number;
  /** Those that no configured secret opens. */
  lost: number;
  /** The first of them, by id. */
  lostIds: string[];
}

const lostNamed = 20;

/**
 * Seals anew, with the secret in use, whatever was sealed with a former one, so that the former one can be dropped. One by
 * one: who holds the lock of one row at a time is in no deadlock, and two that do this at once only share the work. At most `most` are
 * sealed anew; it goes on there when it is called again.
 */
export const resealAll = async <Row extends Kept>(
  { vault }: Platform,
  store: Store<Row>,
  most = Infinity,
): Promise<Resealed> => {
  const { purpose } = store;
  const opened = ({ id, sealed }: Row) => {
    try {
      return { plain: vault.openBytes(purpose, id, sealed) };
    } catch {
      return undefined;
    }
  };

  const done: Resealed = { resealed: 0, left: 0, lost: 0, lostIds: [] };
  let rows = await store.next(undefined);
  while (rows.length > 0) {
    for (const row of rows) {
      const content = opened(row);
      if (!content) {
        done.lost += 1;
        if (done.lostIds.length < lostNamed) done.lostIds.push(row.id);
      } else if (!vault.isCurrent(purpose, row.sealed)) {
        if (done.resealed >= most) done.left += 1;
        else if (await store.replace(row, vault.seal(purpose, row.id, content.plain))) done.resealed += 1;
      }
    }
    rows = await store.next(rows.at(-1));
  }
  return done;
};
