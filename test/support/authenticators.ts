import { createHmac, createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';

// What a person proves a sign-in with: the codes of an authenticator app, and an authenticator with a passkey.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const fromBase32 = (text: string): Buffer => {
  const bits = [...text.replaceAll(/[\s=]/g, '').toUpperCase()]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

/** The six-digit code of an authenticator app (RFC 6238), with periods of thirty seconds; `ahead`: periods from now. */
export const totp = (secret: string, ahead = 0, now = Date.now()): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000) + ahead));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
};

// An authenticator with one passkey, as the service sees it: it signs with ES256 and verifies its user unless a test
// turns that off.

const Question = z.object({ challenge: z.string() });

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url');

/** The head of a CBOR value: its major type, and its number or length. */
const head = (kind: number, count: number): Buffer => {
  const major = kind << 5;
  if (count < 24) return Buffer.from([major | count]);
  return count < 256 ? Buffer.from([major | 24, count]) : Buffer.from([major | 25, count >> 8, count & 255]);
};
const cborNumber = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const cborText = (text: string): Buffer => Buffer.concat([head(3, text.length), Buffer.from(text)]);
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([head(2, bytes.length), bytes]);
const cborMap = (...entries: [Buffer, Buffer][]): Buffer => Buffer.concat([head(5, entries.length), ...entries.flat()]);

const coseOf = (publicKey: KeyObject): Buffer => {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return cborMap(
    [cborNumber(1), cborNumber(2)],
    [cborNumber(3), cborNumber(-7)],
    [cborNumber(-1), cborNumber(1)],
    [cborNumber(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborNumber(-3), cborBytes(Buffer.from(y, 'base64url'))],
  );
};

interface Site {
  /** The origin of the page, and the relying party's id. */
  origin?: string;
  rpId?: string;
  /** Whether the authenticator verified the person. */
  verifies?: boolean;
  /** How often the passkey was used, as it says itself. By default it counts. */
  count?: number;
}

export const anAuthenticator = ({ page = 'http://localhost:3000' } = {}) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  let counter = 0;

  const clientData = (type: string, question: unknown, { origin = page }: Site): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge: Question.parse(question).challenge, origin, crossOrigin: false }));
  const dataFor = ({ rpId = new URL(page).hostname, verifies = true }: Site, extra = Buffer.alloc(0)): Buffer => {
    const flags = 0x01 | (verifies ? 0x04 : 0) | (extra.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, extra]);
  };
  const wrapped = (response: object) => {
    const id = base64url(credentialId);
    return {
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response,
    };
  };

  return {
    /** The answer of `navigator.credentials.create`. */
    create: (question: unknown, site: Site = {}) => {
      const credential = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        coseOf(publicKey),
      ]);
      const attestation = cborMap(
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap()],
        [cborText('authData'), cborBytes(dataFor(site, credential))],
      );
      return wrapped({
        clientDataJSON: base64url(clientData('webauthn.create', question, site)),
        attestationObject: base64url(attestation),
        transports: ['internal'],
      });
    },

    /** The answer of `navigator.credentials.get`. */
    get: (question: unknown, site: Site = {}) => {
      counter = site.count ?? counter + 1;
      const client = clientData('webauthn.get', question, site);
      const data = dataFor(site);
      return wrapped({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
        userHandle: null,
      });
    },
  };
};
