import { Worker } from 'node:worker_threads';

// Passwords are hashed in threads of their own. In Node's pool they would wait for look-ups of names and compression, and these for
// them; and each of its threads, of which the service has 64, would keep the memory of a hash for good.

interface ArgonJob {
  algorithm: 'argon2id';
  message: Uint8Array;
  nonce: Uint8Array;
  memory: number;
  passes: number;
  parallelism: number;
  keyBytes: number;
}

interface ScryptJob {
  algorithm: 'scrypt';
  message: Uint8Array;
  salt: string;
  N: number;
  r: number;
  p: number;
  maxmem: number;
  keyBytes: number;
}

export type HashJob = ArgonJob | ScryptJob;

const idle = new Set<Worker>();

const open = (): Worker => {
  const thread = new Worker(new URL('./hash-thread.ts', import.meta.url));
  // One that fails while it is idle is missed by nobody: the next hash gets a new one.
  thread.on('error', () => idle.delete(thread));
  thread.on('exit', () => idle.delete(thread));
  return thread;
};

const takeIdle = (): Worker | undefined => {
  const [thread] = idle;
  if (thread) idle.delete(thread);
  return thread;
};

/** Starts a thread before the first hash: starting one beside the work of a crowd makes everybody wait. */
export const openHashThread = (): void => {
  const thread = open();
  thread.unref();
  idle.add(thread);
};

/** Computes a hash in an idle thread, or in a new one. How many run at once is up to the caller. */
export const computeHash = (job: HashJob): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const thread = takeIdle() ?? open();
    // Only while it computes does it keep the process alive.
    thread.ref();
    const stopListening = () => {
      thread.off('message', done);
      thread.off('error', failed);
      thread.off('exit', left);
    };
    const done = (key: Uint8Array) => {
      stopListening();
      thread.unref();
      idle.add(thread);
      resolve(Buffer.from(key));
    };
    const failed = (error: unknown) => {
      stopListening();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const left = () => failed(new Error('the thread for hashing ended'));
    thread.once('message', done);
    thread.once('error', failed);
    thread.once('exit', left);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(job);
  });
