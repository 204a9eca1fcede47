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
      // 248 is a multiple of 62. Larger bytes would make the first letters more likely.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
};

/** For secrets that are only compared and never shown again: key secrets, invitation tokens, fingerprints. */
export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer');

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
 * Sealed data: key id (4 bytes), nonce (12), tag (16), ciphertext. Each purpose has a key of its own, derived from the secret. AES-GCM with
 * random nonces is safe for 2^32 messages under one key (NIST SP 800-38D, 8.3), far more than an installation seals for one purpose.
 */
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const signatureBytes = 12;

/** The keys derived from one secret for one purpose. */
interface PurposeKey {
  signing: Buffer;
  sealing: Buffer;
  id: Buffer;
}

const derive = (secret: string, purpose: string): PurposeKey => {
  const keyFor = (info: string) => Buffer.from(hkdfSync('sha256', secret, '', info, 32));
  const signing = keyFor(purpose);
  return { signing, sealing: keyFor(`seal ${purpose}`), id: sha256(signing).subarray(0, keyIdBytes) };
};

export const openVault = (secrets: readonly [string, ...string[]]): Vault => {
  const purposeKeys = new Map<string, readonly [PurposeKey, ...PurposeKey[]]>();

  const keysFor = (purpose: string) => {
    const known = purposeKeys.get(purpose);
    if (known) return known;
    const [first, ...former] = secrets;
    const made = [derive(first, purpose), ...former.map((secret) => derive(secret, purpose))] as const;
    purposeKeys.set(purpose, made);
    return made;
  };

  const signatureOf = ({ signing }: PurposeKey, text: string): Buffer =>
    createHmac('sha256', signing).update(text).digest().subarray(0, signatureBytes);

  const keyIdOf = (sealed: Uint8Array) => sealed.subarray(0, keyIdBytes);

  const openBytes: Vault['openBytes'] = (purpose, context, sealed) => {
    const bytes = Buffer.from(sealed);
    const key = keysFor(purpose).find(({ id }) => id.equals(keyIdOf(bytes)));
    if (!key) throw new Error(`sealed ${purpose} was made with a secret that is no longer configured`);
    const [nonceEnd, tagEnd] = [keyIdBytes + nonceBytes, keyIdBytes + nonceBytes + tagBytes];
    const nonce = bytes.subarray(keyIdBytes, nonceEnd);
    const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(nonceEnd, tagEnd));
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
  };

  return {
    seal(purpose, context, plain) {
      const [{ sealing, id }] = keysFor(purpose);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
      return Buffer.concat([id, nonce, cipher.getAuthTag(), body]);
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
      keysFor(purpose).map(({ signing, id }) => ({ version: id.readUInt32BE(), value: signing.toString('base64url') })),
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
  /** Values that a previous secret still seals, because `max` values were already sealed again. */
  left: number;
  /** Values that no configured secret can open. */
  lost: number;
  /** The ids of the first of them. */
  lostIds: string[];
}

const lostNamed = 20;

/**
 * Seals again, with the first secret, all values that a previous secret sealed, so that the previous one can be removed from the
 * configuration. Each row is changed in a statement of its own. So there is no deadlock, and two processes that do this at the same time
 * share the work. At most `max` values are sealed again; the next call continues.
 */
export const resealAll = async <Row extends SealedRow>(
  vault: Vault,
  store: Store<Row>,
  max = Infinity,
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
        if (done.resealed >= max) done.left += 1;
        else if (await store.replace(row, vault.seal(purpose, row.id, content.plain))) done.resealed += 1;
      }
    }
    rows = await store.next(rows.at(-1));
  }
  return done;
};
