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

/**
 * Sealed data: key id (4 bytes), salt (16), nonce (12), tag (16), ciphertext.
 *
 * AES-GCM with random nonces is safe for at most 2^32 messages under one key (NIST SP 800-38D, 8.3). So nothing is sealed with
 * a key that lasts: the key of a message is derived from the secret, the purpose and a random salt. A vault draws a salt for
 * each purpose when it first seals for it, so at least once per process, and a new one after 2^20 seals. The count is kept
 * in memory, for each purpose by itself: a process that ends forgets it together with the salt, and no two processes share
 * a salt. No key ever seals more than 2^20 messages, whatever the load and however many processes there are.
 *
 * Until 2026-11 there was no salt: key id (4), nonce (12), tag (16), ciphertext, under one key for each secret and purpose.
 * Such data stays readable. Its key has another id, by which the two formats are told apart; nothing is sealed with it now.
 */
const keyIdBytes = 4;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const signatureBytes = 12;

const sealsPerKey = 2 ** 20;
/** Keys kept for opening. Deriving one again takes some microseconds. */
const maxOpeningKeys = 1_000;

/** What comes of one secret for one purpose. */
interface PurposeKey {
  secret: string;
  /** Signs, and opens what was sealed without a salt. */
  key: Buffer;
  idWithoutSalt: Buffer;
  id: Buffer;
}

interface SealingKey {
  key: Buffer;
  /** The start of everything that is sealed with it: key id and salt. */
  header: Buffer;
  sealsLeft: number;
}

interface VaultOptions {
  /** Messages that are sealed with one key at most. */
  sealsPerKey?: number;
}

export const openVault = (secrets: readonly [string, ...string[]], options: VaultOptions = {}): Vault => {
  const purposeKeys = new Map<string, readonly [PurposeKey, ...PurposeKey[]]>();
  const sealingKeys = new Map<string, SealingKey>();
  /** By key id and salt. The one used last is the last. */
  const openingKeys = new Map<string, Buffer>();
  const sealsPerNewKey = options.sealsPerKey ?? sealsPerKey;

  const derive = (secret: string, purpose: string): PurposeKey => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
    const idOf = (data: Uint8Array) => sha256(data).subarray(0, keyIdBytes);
    return { secret, key, idWithoutSalt: idOf(key), id: idOf(Buffer.concat([key, Buffer.from('salted')])) };
  };

  const keysFor = (purpose: string) => {
    const known = purposeKeys.get(purpose);
    if (known) return known;
    const [first, ...former] = secrets;
    const made = [derive(first, purpose), ...former.map((secret) => derive(secret, purpose))] as const;
    purposeKeys.set(purpose, made);
    return made;
  };

  const saltedKey = ({ secret }: PurposeKey, purpose: string, salt: Uint8Array): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, `seal ${purpose}`, 32));

  const sealingKeyFor = (purpose: string): SealingKey => {
    const known = sealingKeys.get(purpose);
    if (known && known.sealsLeft > 0) return known;
    const [purposeKey] = keysFor(purpose);
    const salt = randomBytes(saltBytes);
    const made: SealingKey = {
      key: saltedKey(purposeKey, purpose, salt),
      header: Buffer.concat([purposeKey.id, salt]),
      sealsLeft: sealsPerNewKey,
    };
    sealingKeys.set(purpose, made);
    return made;
  };

  const openingKeyFor = (purposeKey: PurposeKey, purpose: string, header: Buffer): Buffer => {
    const name = header.toString('latin1');
    const known = openingKeys.get(name);
    const key = known ?? saltedKey(purposeKey, purpose, header.subarray(keyIdBytes));
    openingKeys.delete(name);
    openingKeys.set(name, key);
    if (openingKeys.size > maxOpeningKeys) {
      const [oldest = name] = openingKeys.keys();
      openingKeys.delete(oldest);
    }
    return key;
  };

  /** The key of sealed data, and where its nonce begins. */
  const keyOf = (purpose: string, bytes: Buffer): { key: Buffer; start: number } => {
    const id = keyIdOf(bytes);
    for (const purposeKey of keysFor(purpose)) {
      if (purposeKey.id.equals(id)) {
        const start = keyIdBytes + saltBytes;
        return { key: openingKeyFor(purposeKey, purpose, bytes.subarray(0, start)), start };
      }
      if (purposeKey.idWithoutSalt.equals(id)) return { key: purposeKey.key, start: keyIdBytes };
    }
    throw new Error(`sealed ${purpose} was made with a secret that is no longer configured`);
  };

  const codeOf = ({ key }: PurposeKey, text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, signatureBytes);

  const keyIdOf = (sealed: Uint8Array) => sealed.subarray(0, keyIdBytes);

  const openBytes: Vault['openBytes'] = (purpose, context, sealed) => {
    const bytes = Buffer.from(sealed);
    const { key, start } = keyOf(purpose, bytes);
    const nonce = bytes.subarray(start, start + nonceBytes);
    const tag = bytes.subarray(start + nonceBytes, start + nonceBytes + tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(context))
      .setAuthTag(tag);
    const body = bytes.subarray(start + nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  };

  return {
    seal(purpose, context, plain) {
      const sealing = sealingKeyFor(purpose);
      sealing.sealsLeft -= 1;
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing.key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
      return Buffer.concat([sealing.header, nonce, cipher.getAuthTag(), body]);
    },

    open: (purpose, context, sealed) => openBytes(purpose, context, sealed).toString('utf8'),
    openBytes,

    isCurrent(purpose, sealed) {
      const [{ id, idWithoutSalt }] = keysFor(purpose);
      return id.equals(keyIdOf(sealed)) || idWithoutSalt.equals(keyIdOf(sealed));
    },

    sign: (purpose, text) => codeOf(keysFor(purpose)[0], text).toString('base64url'),

    isSigned(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== signatureBytes || given.toString('base64url') !== signature) return false;
      return keysFor(purpose).some((key) => timingSafeEqual(codeOf(key, text), given));
    },

    secretsFor: (purpose) =>
      keysFor(purpose).map(({ key, idWithoutSalt }) => ({
        version: idWithoutSalt.readUInt32BE(),
        value: key.toString('base64url'),
      })),
  };
};
