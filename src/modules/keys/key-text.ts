import { crc32 } from 'node:zlib';
import { randomText } from '../../core/crypto.ts';

// The text of a key: `svck_live_`, its public part, `_` and its secret part. The last characters of the secret part are
// a checksum of everything before them. With it, programs that look for leaked keys distinguish a key from a text that
// only looks like one. The gate needs no checksum, because it compares hashes.

const prefixCharacters = 12;
const checksumCharacters = 6;
const randomCharacters = 37;

/** The pattern for programs that look for keys. */
export const keyPattern = /svck_live_[A-Za-z0-9]{12}_[A-Za-z0-9]{43}/g;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The CRC-32 of a text in six digits of base 62. */
export const checksumOf = (text: string): string => {
  let rest = crc32(text);
  let written = '';
  while (written.length < checksumCharacters) {
    written = digits.charAt(rest % digits.length) + written;
    rest = Math.floor(rest / digits.length);
  }
  return written;
};

/** The parts of a key. */
export interface KeyParts {
  readonly prefix: string;
  readonly secret: string;
}

export const makeKeyText = (): KeyParts & { text: string } => {
  const prefix = randomText(prefixCharacters);
  const beginning = `svck_live_${prefix}_${randomText(randomCharacters)}`;
  const text = beginning + checksumOf(beginning);
  return { prefix, secret: secretIn(text), text };
};

const secretIn = (key: string): string => key.slice(-(randomCharacters + checksumCharacters));

const hasChecksum = (key: string): boolean => key.endsWith(checksumOf(key.slice(0, -checksumCharacters)));

/** The first key with a right checksum in a text, which may have more around the key. */
export const keyIn = (text: string): KeyParts | undefined => {
  const key = [...text.matchAll(keyPattern)].map(([found]) => found).find(hasChecksum);
  if (key === undefined) return undefined;
  return { prefix: key.slice('svck_live_'.length).slice(0, prefixCharacters), secret: secretIn(key) };
};
