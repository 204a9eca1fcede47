import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const keyBytes = 64;

const stretch = (password: string, salt: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** `salt:key`, both in hex: the form that the sign-in library reads. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16).toString('hex');
  return `${salt}:${(await stretch(password, salt)).toString('hex')}`;
};

export const isPassword = async (password: string, hash: string): Promise<boolean> => {
  const [salt = '', key = ''] = hash.split(':');
  const expected = Buffer.from(key, 'hex');
  return expected.length === keyBytes && timingSafeEqual(expected, await stretch(password, salt));
};
