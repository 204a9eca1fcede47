import { argon2Sync } from 'node:crypto';
import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { HashJob } from './password.ts';

// The thread in which password.ts computes hashes, one after the other.

// Next to a busy thread of normal priority, this thread gets about a quarter of a core.
const nice = 5;

// Only Linux has a priority for each thread. When cores are short, requests run before hashes.
if (platform() === 'linux') setPriority(nice);

const compute = ({ keyBytes: tagLength, ...job }: HashJob): Uint8Array => argon2Sync('argon2id', { ...job, tagLength });

parentPort?.on('message', (job: HashJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(compute(job));
});
