import { argon2Sync, scryptSync } from 'node:crypto';
import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { HashJob } from './hash-threads.ts';

// A thread that hashes one password after the other; see hash-threads.ts.

// Beside a busy thread at the usual priority this one gets about a quarter of a core.
const nice = 5;

// On Linux a priority is the thread's own: where cores are short, requests go before hashes.
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
