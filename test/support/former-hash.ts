import { randomBytes, scryptSync } from 'node:crypto';

/** A password hash in the format used until 2026-11. */
export const formerHash = (password: string): string => {
  const salt = randomBytes(16).toString('hex');
  const key = scryptSync(password.normalize('NFKC'), salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 });
  return `${salt}:${key.toString('hex')}`;
};
