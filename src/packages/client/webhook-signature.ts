/** Headers in the form of frameworks: `Headers`, or an object with names in any case. */
export type HeadersGiven =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

type SignatureForm = 'standard' | 'contract';

/** A form of the signature: the text that is signed before the body, and the time in it. */
export interface ReadSignature {
  form: SignatureForm;
  prefix: string;
  time: number;
  signatures: Uint8Array<ArrayBuffer>[];
}

export interface SigningKey {
  form: SignatureForm;
  key: CryptoKey;
}

const contractHeader = 'Svc-Signature';
const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** The maximum number of signatures to check: the service sends one, but anybody may send many. */
const maxSignatures = 10;

const headerOf = (headers: HeadersGiven, name: string): string | undefined => {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name.toLowerCase()) ?? [];
  return typeof value === 'object' ? value.join(',') : typeof value === 'string' ? value : undefined;
};

const bytesOfHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** `t=<unix time>,v1=<hex>`, perhaps with unknown fields. */
const readContract = (header: string): ReadSignature | undefined => {
  const fields = header.split(',');
  const [t = '', ...moreTimes] = fields.filter((field) => field.startsWith('t=')).map((field) => field.slice(2));
  const hex = fields.filter((field) => /^v1=[0-9a-f]{64}$/.test(field)).map((field) => field.slice(3));
  if (!/^\d{1,12}$/.test(t) || moreTimes.length > 0 || hex.length === 0) return undefined;
  return {
    form: 'contract',
    prefix: `${t}.`,
    time: Number(t),
    signatures: hex.slice(0, maxSignatures).map(bytesOfHex),
  };
};

/** `v1,<base64>`, several separated by spaces. */
const readStandard = (id: string, t: string, header: string): ReadSignature | undefined => {
  const found = header.split(' ').filter((one) => /^v1,[A-Za-z0-9+/]{43}=$/.test(one));
  if (!id || !/^\d{1,12}$/.test(t) || found.length === 0) return undefined;
  const signatures = found.slice(0, maxSignatures).map((one) => bytesOfBase64(one.slice(3)));
  return { form: 'standard', prefix: `${id}.${t}.`, time: Number(t), signatures };
};

export const readSignatures = (
  headers: HeadersGiven,
): { signatures: ReadSignature[] } | { reason: 'missing_header' | 'malformed_header'; message: string } => {
  const [id, t, standard] = standardHeaders.map((name) => headerOf(headers, name));
  const contract = headerOf(headers, contractHeader);
  if (!contract && !standard) {
    return { reason: 'missing_header', message: `There is neither ${contractHeader} nor webhook-signature.` };
  }
  const signatures: ReadSignature[] = [];
  const wrong: string[] = [];
  if (standard) {
    const read = readStandard(id ?? '', t ?? '', standard);
    if (read) signatures.push(read);
    else wrong.push(`webhook-signature is not v1,<base64>, with webhook-id and a webhook-timestamp in Unix seconds.`);
  }
  if (contract) {
    const read = readContract(contract);
    if (read) signatures.push(read);
    else wrong.push(`${contractHeader} is not t=<unix time>,v1=<hex>.`);
  }
  return signatures.length > 0 ? { signatures } : { reason: 'malformed_header', message: wrong.join(' ') };
};

const hmac = { name: 'HMAC', hash: 'SHA-256' };

const importKey = async (form: SignatureForm, bytes: Uint8Array<ArrayBuffer>): Promise<SigningKey> => ({
  form,
  key: await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']),
});

/**
 * The keys of a secret: for `Svc-Signature` the whole text, and for Standard Webhooks the bytes that it encodes, if it
 * encodes any.
 */
export const keysOf = async (secrets: readonly string[]): Promise<SigningKey[]> => {
  const keys = secrets.map((secret) => [
    importKey('contract', new TextEncoder().encode(secret)),
    ...(/^whsec_([A-Za-z0-9+/]{4})+$/.test(secret) ? [importKey('standard', bytesOfBase64(secret.slice(6)))] : []),
  ]);
  return Promise.all(keys.flat());
};

/** The time of the first signature that matches; undefined if none does. WebCrypto compares in constant time. */
export const timeOfMatch = async (
  body: Uint8Array<ArrayBuffer>,
  forms: readonly ReadSignature[],
  keys: readonly SigningKey[],
): Promise<number | undefined> => {
  for (const { form, prefix, time, signatures } of forms) {
    const before = new TextEncoder().encode(prefix);
    const signed = new Uint8Array(before.length + body.length);
    signed.set(before);
    signed.set(body, before.length);
    for (const key of keys.filter((key) => key.form === form)) {
      for (const signature of signatures) {
        if (await crypto.subtle.verify(hmac, key.key, signature, signed)) return time;
      }
    }
  }
  return undefined;
};
