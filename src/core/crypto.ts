import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { remembered, TtlMap } from './ttl-map.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random text of letters and digits, each equally likely. */
export const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is a multiple of 62. Larger bytes would make the first letters more likely.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
};

/** For secrets that are only compared and never shown again: key secrets, invitation tokens, fingerprints. */
export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer');

const blockBytes = 64;

/**
 * HMAC-SHA256 (RFC 2104) with one key. Each code takes two one-shot hashes, which cost a request less than one object of `createHmac`.
 */
export const hmacSha256 = (key: string | Uint8Array): ((text: string) => Buffer) => {
  const given = Buffer.from(key);
  const block = Buffer.alloc(blockBytes);
  block.set(given.length > blockBytes ? sha256(given) : given);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(32)]);
  return (text) => {
    const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text));
    message.set(inner);
    message.write(text, blockBytes);
    outer.set(sha256(message), blockBytes);
    return sha256(outer);
  };
};

/** Encrypts and signs with APP_SECRET. New data uses the first secret; the other secrets still open and verify older data. */
export interface Vault {
  /** Encrypts with AES-256-GCM. Opening needs the same `purpose` and `context`. */
  seal(purpose: string, context: string, plain: string | Uint8Array): Buffer<ArrayBuffer>;
  open(purpose: string, context: string, sealed: Uint8Array): string;
  openBytes(purpose: string, context: string, sealed: Uint8Array): Buffer;
  /**
   * Whether it was sealed with the first secret. Data sealed with another secret is lost when that secret is removed from the
   * configuration.
   */
  isCurrent(purpose: string, sealed: Uint8Array): boolean;
  /** A short authentication code for data that a client sends back, such as cursors. */
  sign(purpose: string, text: string): string;
  isSigned(purpose: string, text: string, signature: string): boolean;
  /** Secrets for a library that does its own encryption, the first one first. A secret keeps its version when the order changes. */
  secretsFor(purpose: string): { version: number; value: string }[];
}

/**
 * Sealed data: key id (4 bytes), salt (16), nonce (12), tag (16), ciphertext.
 *
 * AES-GCM with random nonces is safe for at most 2^32 messages under one key (NIST SP 800-38D, 8.3). So each key is used for a limited
 * number of messages. It is derived from the secret, the purpose and a random salt. A vault draws a salt for a purpose when it first
 * seals for it, and a new one after 2^20 seals. The count and the salt are only in memory, so a restart draws a new salt, and no two
 * processes share one. Therefore no key seals more than 2^20 messages, whatever the load and the number of processes.
 */
const keyIdBytes = 4;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const signatureBytes = 12;

const sealsPerKey = 2 ** 20;
/** Keys for opening that are kept in memory. Deriving one takes some microseconds. */
const maxOpeningKeys = 1_000;

/** The keys derived from one secret for one purpose. */
interface PurposeKey {
  secret: string;
  key: Buffer;
  codeOf: (text: string) => Buffer;
  id: Buffer;
}

interface SealingKey {
  key: Buffer;
  /** Key id and salt, with which everything that this key seals begins. */
  header: Buffer;
  sealsLeft: number;
}

interface VaultOptions {
  /** How many messages one key may seal. */
  sealsPerKey?: number;
}

export const openVault = (secrets: readonly [string, ...string[]], options: VaultOptions = {}): Vault => {
  const purposeKeys = new Map<string, readonly [PurposeKey, ...PurposeKey[]]>();
  const sealingKeys = new Map<string, SealingKey>();
  /** By key id and salt. */
  const openingKeys = new TtlMap<Buffer>({ capacity: maxOpeningKeys });
  const sealsPerNewKey = options.sealsPerKey ?? sealsPerKey;

  const derive = (secret: string, purpose: string): PurposeKey => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
    return {
      secret,
      key,
      codeOf: hmacSha256(key),
      id: sha256(key).subarray(0, keyIdBytes),
    };
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

  const openingKeyFor = (purposeKey: PurposeKey, purpose: string, header: Buffer): Buffer =>
    remembered(openingKeys, header.toString('latin1'), () =>
      saltedKey(purposeKey, purpose, header.subarray(keyIdBytes)),
    );

  /** The key that opens this data. */
  const keyOf = (purpose: string, bytes: Buffer): Buffer => {
    const purposeKey = keysFor(purpose).find(({ id }) => id.equals(keyIdOf(bytes)));
    if (!purposeKey) throw new Error(`sealed ${purpose} was made with a secret that is no longer configured`);
    return openingKeyFor(purposeKey, purpose, bytes.subarray(0, keyIdBytes + saltBytes));
  };

  const signatureOf = ({ codeOf }: PurposeKey, text: string) => codeOf(text).subarray(0, signatureBytes);

  const keyIdOf = (sealed: Uint8Array) => sealed.subarray(0, keyIdBytes);

  const openBytes: Vault['openBytes'] = (purpose, context, sealed) => {
    const bytes = Buffer.from(sealed);
    const key = keyOf(purpose, bytes);
    const start = keyIdBytes + saltBytes;
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
      return keysFor(purpose)[0].id.equals(keyIdOf(sealed));
    },

    sign: (purpose, text) => signatureOf(keysFor(purpose)[0], text).toString('base64url'),

    isSigned(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== signatureBytes || given.toString('base64url') !== signature) return false;
      return keysFor(purpose).some((key) => timingSafeEqual(signatureOf(key, text), given));
    },

    secretsFor: (purpose) =>
      keysFor(purpose).map(({ key, id }) => ({ version: id.readUInt32BE(), value: key.toString('base64url') })),
  };
};

/** A sealed value in a table. The id of its row is the context with which it was sealed. */
export interface SealedRow {
  readonly id: string;
  readonly sealed: Uint8Array;
}

interface Store<Row extends SealedRow> {
  /** The purpose with which the values are sealed. */
  purpose: string;
  /** The next rows after the given one, in the table's order; none at the end. */
  next(last: Row | undefined): Promise<readonly Row[]>;
  /** Replaces the value unless it has changed since it was read; returns whether it did. */
  replace(row: Row, sealed: Uint8Array): Promise<boolean>;
}

export interface Resealed {
  resealed: number;
  /** Values that a former secret still seals, because `most` values were already sealed again. */
  left: number;
  /** Values that no configured secret can open. */
  lost: number;
  /** The ids of the first of them. */
  lostIds: string[];
}

const lostNamed = 20;

/**
 * Seals again, with the first secret, all values that a former secret sealed, so that the former one can be removed from the
 * configuration. Each row is changed in a statement of its own. So there is no deadlock, and two processes that do this at the same time
 * share the work. At most `most` values are sealed again; the next call continues.
 */
export const resealAll = async <Row extends SealedRow>(
  vault: Vault,
  store: Store<Row>,
  most = Infinity,
): Promise<Resealed> => {
  const { purpose } = store;
  const opened = ({ id, sealed }: Row) => {
    try {
      return { plain: vault.openBytes(purpose, id, sealed) };
    } catch {
      return undefined;
    }
  };

  const done: Resealed = { resealed: 0, left: 0, lost: 0, lostIds: [] };
  let rows = await store.next(undefined);
  while (rows.length > 0) {
    for (const row of rows) {
      const content = opened(row);
      if (!content) {
        done.lost += 1;
        if (done.lostIds.length < lostNamed) done.lostIds.push(row.id);
      } else if (!vault.isCurrent(purpose, row.sealed)) {
        if (done.resealed >= most) done.left += 1;
        else if (await store.replace(row, vault.seal(purpose, row.id, content.plain))) done.resealed += 1;
      }
    }
    rows = await store.next(rows.at(-1));
  }
  return done;
};
