import { inBatches } from '../core/batch.ts';
import { secondsToMs } from '../core/clock.ts';
import { TtlMap } from '../core/ttl-map.ts';
import type { UsageKind } from '../db/generated/enums.ts';

/**
 * The bytes that a stored row counts for besides its content: its columns of fixed size, its index entries and its line
 * in the audit log.
 */
export const storedRowBytes = 512;

/** Bytes that a request added to the storage of its team. */
export interface AddedBytes {
  readonly tenantId: string;
  readonly kind: UsageKind;
  readonly bytes: number;
}

/**
 * Counts the bytes that requests add to the storage of their teams, in batches, so that no request waits for it. The
 * counters are approximate: the size of a request counts in place of the stored size, deletions are not subtracted, and
 * a crash loses a batch. The worker corrects them every night by exact sums.
 */
export class StorageCounter {
  /** The teams that had room a few seconds ago, by kind of storage. */
  readonly withRoom = new TtlMap<true>({ capacity: 10_000, ttlMs: secondsToMs(5) });
  readonly #add: (added: AddedBytes) => Promise<void>;
  #last: Promise<void> = Promise.resolve();

  constructor({
    write,
    onFailure,
  }: {
    write(this: void, added: readonly AddedBytes[]): Promise<void>;
    onFailure(this: void, error: unknown): void;
  }) {
    const writeBatch = async (added: readonly AddedBytes[]) => {
      await write(added).catch(onFailure);
      return added.map(() => undefined);
    };
    this.#add = inBatches<AddedBytes, void>(writeBatch, { max: 1_000, waitMs: 100 });
  }

  /** Adds the content of a request, and the size of its row. It never fails. */
  add(tenantId: string, kind: UsageKind, bytes: number): void {
    this.#last = this.#add({ tenantId, kind, bytes: storedRowBytes + bytes }).catch(() => undefined);
  }

  /** Waits until everything that was added is written. */
  written(): Promise<void> {
    return this.#last;
  }
}
