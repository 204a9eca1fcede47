import { expect, it } from 'vitest';
import { StorageCounter, storedRowBytes, type AddedBytes } from '../../src/platform/storage-counter.ts';

it('what requests store is written together, each with what its row takes besides', async () => {
  const written: (readonly AddedBytes[])[] = [];
  const failures: unknown[] = [];
  const counter = new StorageCounter({
    write: (added) => Promise.resolve(void written.push(added)),
    onFailure: (error) => void failures.push(error),
  });
  counter.add('first', 'stored', 100);
  counter.add('second', 'answers', 0);
  counter.add('first', 'stored', 1);
  expect(written).toEqual([]);
  await counter.written();
  expect(written).toEqual([
    [
      { tenantId: 'first', kind: 'stored', bytes: storedRowBytes + 100 },
      { tenantId: 'second', kind: 'answers', bytes: storedRowBytes },
      { tenantId: 'first', kind: 'stored', bytes: storedRowBytes + 1 },
    ],
  ]);
  expect(failures).toEqual([]);
});

it('a batch that can’t be written is reported, and nobody who waits for it fails', async () => {
  const failures: unknown[] = [];
  const error = new Error('no database');
  const counter = new StorageCounter({
    write: () => Promise.reject(error),
    onFailure: (failure) => void failures.push(failure),
  });
  await counter.written();
  counter.add('team', 'stored', 1);
  await counter.written();
  expect(failures).toEqual([error]);
});
