import { argon2Sync, scryptSync } from 'node:crypto';
import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { HashJob } from './password.ts';

// The thread in which password.ts computes hashes, one after the other.

// Next to a busy thread of normal priority, this thread gets about a quarter of a core.
const nice = 5;

// Only Linux has a priority for each thread. When cores are short, requests run before hashes.
if (platform() === 'linux') setPriority(nice);

const compute = (job: HashJob): Uint8Array => {
  if (job.algorithm === 'scrypt') {
    const { N, r, p, maxmem } = job;
    return scryptSync(job.message, job.salt, job.keyBytes, { N, r, p, maxmem });
  }
  const { message, nonce, memory, passes, parallelism, keyBytes: tagLength } = job;
  return argon2Sync('argon2id', { message, nonce, memory, passes, parallelism, tagLength });
};

parentPort?.on('message', (job: HashJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(compute(job));
});
