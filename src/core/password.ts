import { AsyncLocalStorage } from 'node:async_hooks';
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { FairSemaphore } from './fair-semaphore.ts';
import { Problem } from './problem.ts';
import { networkOf } from './address.ts';
import { hashingLimits } from './limits.ts';

// A stored password is the PHC string of argon2id, `$argon2id$v=19$m=19456,t=2,p=1$salt$key`.

const saltBytes = 16;
const keyBytes = 32;

export interface PasswordCost {
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's minimum for argon2id, about 30 ms of a core. */
export const usualCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };

interface PasswordCaller {
  group: 'known' | 'strangers';
  name: string;
}

/** The caller for whom an action computes hashes. The sign-in library passes no argument on to our hash function. */
const callers = new AsyncLocalStorage<PasswordCaller>();

/** Runs an action whose hashes wait with those of other strangers. */
export const hashingForStranger = <T>(address: string, action: () => Promise<T>): Promise<T> =>
  callers.run({ group: 'strangers', name: networkOf(address) }, action);

/** Runs an action of a signed-in person or a known browser. */
export const hashingForPerson = <T>(personId: string, action: () => Promise<T>): Promise<T> =>
  callers.run({ group: 'known', name: personId }, action);

/**
 * A hash takes about 30 ms of a core and 19 MiB, and everybody can cause one by trying to sign in. So one of Node's
 * four threads is left for everything else, and one core if there are several. Strangers and known callers take turns.
 * Among strangers, networks take turns, and among known callers, people do. So a flood from one network or person
 * delays the next hash of another by one hash. While 64 callers of a group wait, further ones are refused.
 */
export const hashing = new FairSemaphore({
  slots: Math.max(1, Math.min(availableParallelism() - 1, 3)),
  perGroup: Infinity,
  waitingPerGroup: hashingLimits.waiting,
  timeoutMs: hashingLimits.timeoutMs,
  refusal: () => new Problem('rate_limited', { retry_after: hashingLimits.retryAfterSeconds }),
});

const computeHash = promisify(argon2);

const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFKC'));

const stretch = (password: string, parameters: PasswordCost & { nonce: Buffer }): Promise<Buffer> => {
  const { group, name } = callers.getStore() ?? { group: 'known', name: 'the process' };
  const job = { message: bytesOf(password), tagLength: keyBytes, ...parameters };
  return hashing.run(group, () => computeHash('argon2id', job), name);
};

/** PHC strings have base64 without padding. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

export const hashPassword = async (password: string, cost: PasswordCost = usualCost): Promise<string> => {
  const nonce = randomBytes(saltBytes);
  const key = await stretch(password, { nonce, ...cost });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(key)}`;
};

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{43})$/;

export const isPassword = async (password: string, hash: string): Promise<boolean> => {
  const [, memory, passes, parallelism, salt, key] = phc.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return false;
  const expected = Buffer.from(key, 'base64');
  const given = await stretch(password, {
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return expected.length === keyBytes && timingSafeEqual(expected, given);
};
