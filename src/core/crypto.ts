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

/** A hash of secrets that are only compared and never shown again: key secrets, invitation tokens, fingerprints. */
export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer');

/**
 * Encrypts and signs with APP_SECRET. New data uses the first secret; the other secrets still open and verify older
 * data.
 */
export interface Vault {
  /** Encrypts with AES-256-GCM. Opening needs the same `purpose` and `context`. */
  seal(purpose: string, context: string, plain: string | Uint8Array): Buffer<ArrayBuffer>;
  open(purpose: string, context: string, sealed: Uint8Array): string;
  /**
   * Encrypts with the first secret a value that a former secret has sealed, because nothing can open such a value once
   * its secret is removed from the configuration. Returns undefined if the first secret has sealed it.
   */
  sealAgain(purpose: string, context: string, sealed: Uint8Array): Buffer<ArrayBuffer> | undefined;
  /** A short authentication code for data that a client sends back, such as cursors. */
  sign(purpose: string, text: string): string;
  isSigned(purpose: string, text: string, signature: string): boolean;
  /**
   * Secrets for a library that does its own encryption, the first one first. A secret keeps its version when the order
   * changes.
   */
  secretsFor(purpose: string): { version: number; value: string }[];
}

/**
 * Sealed data: key id (4 bytes), nonce (12), tag (16), ciphertext. Each purpose has a key of its own, derived from the
 * secret. AES-GCM with random nonces is safe for 2^32 messages under one key (NIST SP 800-38D, 8.3), far more than an
 * installation seals for one purpose.
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

export const makeVault = (secrets: readonly [string, ...string[]]): Vault => {
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

  const openBytes = (purpose: string, context: string, sealed: Uint8Array): Buffer => {
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

  const seal: Vault['seal'] = (purpose, context, plain) => {
    const [{ sealing, id }] = keysFor(purpose);
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
    return Buffer.concat([id, nonce, cipher.getAuthTag(), body]);
  };

  return {
    seal,

    open: (purpose, context, sealed) => openBytes(purpose, context, sealed).toString('utf8'),

    sealAgain(purpose, context, sealed) {
      const plain = openBytes(purpose, context, sealed);
      return keysFor(purpose)[0].id.equals(keyIdOf(sealed)) ? undefined : seal(purpose, context, plain);
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

interface Sealings<Row, Sealed> {
  rows: Iterable<Row> | AsyncIterable<Row>;
  /**
   * The value of a row, sealed with the first secret; undefined or null if it needs no new seal. Throws if no secret
   * opens it.
   */
  sealAgain: (row: Row) => Sealed | null | undefined | Promise<Sealed | undefined>;
  /** Replaces the value unless it has changed since it was read. */
  replace: (row: Row, sealed: Sealed) => Promise<{ count: number }>;
}

export interface ResealResult {
  resealed: number;
  /** How many values a previous secret still seals, because this run seals at most `max` values again. */
  left: number;
  /** How many values no configured secret can open. */
  lost: number;
  /** The ids of the first rows with values that no configured secret can open. */
  lostIds: string[];
}

const lostNamed = 20;

/**
 * Seals again, with the first secret, all values that a previous secret sealed, so that the previous one can be removed
 * from the configuration. Each row is changed in a statement of its own. So two processes can run this at the same time
 * without a deadlock, and share the work. At most `max` values are sealed again; the next call continues.
 */
export const resealAll = async <Row extends { readonly id: string }, Sealed>(
  { rows, sealAgain, replace }: Sealings<Row, Sealed>,
  max = Infinity,
): Promise<ResealResult> => {
  const done: ResealResult = { resealed: 0, left: 0, lost: 0, lostIds: [] };
  for await (const row of rows) {
    let sealed: Sealed | null | undefined;
    try {
      sealed = await sealAgain(row);
    } catch {
      done.lost += 1;
      if (done.lostIds.length < lostNamed) done.lostIds.push(row.id);
      continue;
    }
    if (sealed === null || sealed === undefined) continue;
    if (done.resealed >= max) done.left += 1;
    else done.resealed += (await replace(row, sealed)).count;
  }
  return done;
};
