import { randomBytes, timingSafeEqual } from 'node:crypto';
import { computeHash } from './hash-threads.ts';
import { hashing } from './hashing.ts';

// A stored password is the PHC string of argon2id, `$argon2id$v=19$m=19456,t=2,p=1$salt$key`. Until 2026-11 it was `salt:key` in
// hex, made by scrypt: such a hash stays valid and is replaced when its owner signs in.

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const keyBytes = 32;

const formerCost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const formerKeyBytes = 64;

interface Argon {
  nonce: Buffer;
  memory: number;
  passes: number;
  parallelism: number;
}

const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFKC'));

const stretch = (password: string, parameters: Argon): Promise<Buffer> =>
  hashing.turn(() => computeHash({ algorithm: 'argon2id', message: bytesOf(password), ...parameters, keyBytes }));

const stretchAsBefore = (password: string, salt: string): Promise<Buffer> =>
  hashing.turn(() =>
    computeHash({ algorithm: 'scrypt', message: bytesOf(password), salt, ...formerCost, keyBytes: formerKeyBytes }),
  );

/** PHC strings carry base64 without its padding. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

export const hashPassword = async (password: string): Promise<string> => {
  const nonce = randomBytes(saltBytes);
  const key = await stretch(password, { nonce, ...cost });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(key)}`;
};

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{43})$/;

const isPasswordAsBefore = async (password: string, hash: string): Promise<boolean> => {
  const [salt = '', key = ''] = hash.split(':');
  const expected = Buffer.from(key, 'hex');
  return expected.length === formerKeyBytes && timingSafeEqual(expected, await stretchAsBefore(password, salt));
};

export const isPassword = async (password: string, hash: string): Promise<boolean> => {
  const [, memory, passes, parallelism, salt, key] = phc.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return isPasswordAsBefore(password, hash);
  const expected = Buffer.from(key, 'base64');
  const given = await stretch(password, {
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return expected.length === keyBytes && timingSafeEqual(expected, given);
};

const currentStart = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`;

/** Whether a hash was made with another algorithm or at another cost than new ones are. */
export const isFormerHash = (hash: string): boolean => !hash.startsWith(currentStart);
