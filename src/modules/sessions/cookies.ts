import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What the names of our cookies begin with. Over HTTPS a browser takes a name with `__Host-` from this very host alone: no other
 * host of the domain can plant one.
 */
export const cookiePrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? '__Host-team' : 'team');

export const sessionCookie = (publicUrl: string): string => `${cookiePrefix(publicUrl)}.session_token`;

/** More of ours than a browser ever has: what goes beyond is not looked at. */
const mostCookies = 16;

/** Where a browser keeps that its person has made the first of two steps. */
export const firstStepCookie = (publicUrl: string): string => `${cookiePrefix(publicUrl)}.two_factor`;

const pairsOf = (header: string): string[] => header.split(';').map((pair) => pair.trim());

const nameOf = (pair: string): string => pair.slice(0, Math.max(0, pair.indexOf('=')));

/** Of a `Cookie` header those that are ours; undefined where none is. */
export const ownCookies = (header: string, prefix: string): string | undefined => {
  const own = pairsOf(header).filter((pair) => pair.startsWith(`${prefix}.`));
  return own.length === 0 ? undefined : own.slice(0, mostCookies).join('; ');
};

/** The value of the cookie with this name as it came; the first, where there are several. */
export const valueOf = (header: string, name: string): string | undefined =>
  pairsOf(header)
    .find((pair) => nameOf(pair) === name)
    ?.slice(name.length + 1);

/** A `Cookie` header without one of its cookies; undefined where nothing is left. */
export const withoutCookie = (header: string, name: string): string | undefined => {
  const left = pairsOf(header).filter((pair) => nameOf(pair) !== name);
  return left.length === 0 ? undefined : left.join('; ');
};

const signatureOf = (secret: string, value: string): string =>
  createHmac('sha256', secret).update(value).digest('base64');

const isSignatureOf = (secret: string, value: string, signature: string): boolean => {
  const [expected, given] = [Buffer.from(signatureOf(secret, value)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** What the sign-in library signed into the cookie with this name; undefined where it did not. */
export const signedValueOf = (header: string, name: string, secret: string): string | undefined => {
  const signed = decoded(valueOf(header, name) ?? '');
  const end = signed?.lastIndexOf('.') ?? -1;
  if (signed === undefined || end < 1) return undefined;
  const value = signed.slice(0, end);
  return isSignatureOf(secret, value, signed.slice(end + 1)) ? value : undefined;
};

/**
 * A `Cookie` header as if the secret in use had signed all of ours that a former secret signed: the sign-in library knows former
 * secrets for what it encrypts, but not for what it signs.
 */
export const signedAnew = (header: string, prefix: string, [current = '', ...former]: readonly string[]): string => {
  if (former.length === 0) return header;
  const anew = (pair: string): string => {
    const name = nameOf(pair);
    const signed = decoded(pair.slice(name.length + 1));
    if (!name.startsWith(`${prefix}.`) || signed === undefined) return pair;
    const end = signed.lastIndexOf('.');
    const [value, signature] = [signed.slice(0, Math.max(0, end)), signed.slice(end + 1)];
    const isFormer = former.some((secret) => isSignatureOf(secret, value, signature));
    return isFormer ? `${name}=${encodeURIComponent(`${value}.${signatureOf(current, value)}`)}` : pair;
  };
  return pairsOf(header).map(anew).join('; ');
};
