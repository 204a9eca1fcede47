import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random text of letters and digits, each equally likely. */
export const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the last multiple of 62 in a byte: taking more would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
};

/** For what must only be recognised again, never read: key secrets, invitation tokens, fingerprints. */
export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer');

/** What the service encrypts and signs with. The first secret is in use; the ones behind it are still understood. */
export interface Vault {
  /** Encrypts with AES-256-GCM; `purpose` and `context` must be the same to read it again. */
  seal(purpose: string, context: string, plain: string | Uint8Array): Buffer<ArrayBuffer>;
  open(purpose: string, context: string, sealed: Uint8Array): string;
  openBytes(purpose: string, context: string, sealed: Uint8Array): Buffer;
  /** Whether it was sealed with the secret in use. What a former one sealed is lost once that one is dropped. */
  isCurrent(purpose: string, sealed: Uint8Array): boolean;
  /** A short authentication code, for what goes through a client's hands and comes back. */
  sign(purpose: string, text: string): string;
  isSigned(purpose: string, text: string, signature: string): boolean;
  /** Secrets for a library that encrypts by itself, the one in use first. Each keeps its number, wherever it stands. */
  secretsFor(purpose: string): { version: number; value: string }[];
}

const ivBytes = 12;
const tagBytes = 16;
const keyIdBytes = 4;
const signatureBytes = 12;

interface PurposeKey {
  id: Buffer;
  key: Buffer;
}

export const openVault = (secrets: readonly [string, ...string[]]): Vault => {
  const derived = new Map<string, readonly [PurposeKey, ...PurposeKey[]]>();

  const derive = (secret: string, purpose: string): PurposeKey => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
    return { key, id: sha256(key).subarray(0, keyIdBytes) };
  };

  const keysFor = (purpose: string) => {
    const known = derived.get(purpose);
    if (known) return known;
    const [first, ...former] = secrets;
    const made = [derive(first, purpose), ...former.map((secret) => derive(secret, purpose))] as const;
    derived.set(purpose, made);
    return made;
  };

  const codeOf = ({ key }: PurposeKey, text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, signatureBytes);

  const keyIdOf = (sealed: Uint8Array) => sealed.subarray(0, keyIdBytes);

  const openBytes: Vault['openBytes'] = (purpose, context, sealed) => {
    const bytes = Buffer.from(sealed);
    const used = keysFor(purpose).find(({ id }) => id.equals(keyIdOf(bytes)));
    if (!used) throw new Error(`sealed ${purpose} was made with a secret that is no longer configured`);
    const iv = bytes.subarray(keyIdBytes, keyIdBytes + ivBytes);
    const tag = bytes.subarray(keyIdBytes + ivBytes, keyIdBytes + ivBytes + tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', used.key, iv).setAAD(Buffer.from(context)).setAuthTag(tag);
    const body = bytes.subarray(keyIdBytes + ivBytes + tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  };

  return {
    seal(purpose, context, plain) {
      const [{ id, key }] = keysFor(purpose);
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
      return Buffer.concat([id, iv, cipher.getAuthTag(), body]);
    },

    open: (purpose, context, sealed) => openBytes(purpose, context, sealed).toString('utf8'),
    openBytes,

    isCurrent: (purpose, sealed) => keysFor(purpose)[0].id.equals(keyIdOf(sealed)),

    sign: (purpose, text) => codeOf(keysFor(purpose)[0], text).toString('base64url'),

    isSigned(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== signatureBytes || given.toString('base64url') !== signature) return false;
      return keysFor(purpose).some((key) => timingSafeEqual(codeOf(key, text), given));
    },

    secretsFor: (purpose) =>
      keysFor(purpose).map(({ id, key }) => ({ version: id.readUInt32BE(), value: key.toString('base64url') })),
  };
};
