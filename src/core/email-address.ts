import { limits } from './limits.ts';

const longestLocal = 64;
const longestDomain = 253;
/** A longer domain is refused before it is converted to ASCII. The length is counted in UTF-16 units. */
const longestConverted = 2 * limits.emailCharacters;

/** A dot-atom of RFC 5322: no quotes, no comments, no dot at either end and never two in a row. */
const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Characters that a URL would not read as a part of the host: they begin a path, a port, an escape or an IPv6 address.
 */
const notInDomains = /[\s/\\?#@:%[\]<>|^]/u;

/** The ASCII form of a host name, as URL parsers make it (UTS 46); undefined if it has none. */
const asciiForm = (domain: string): string | undefined => {
  if (domain.length > longestConverted || notInDomains.test(domain)) return undefined;
  try {
    return new URL(`http://${domain}/`).hostname;
  } catch {
    return undefined;
  }
};

/** The domain in ASCII and lower case; undefined if it is invalid or too long, an IP address, or a single label. */
const domainOf = (text: string): string | undefined => {
  const domain = asciiForm(text);
  if (domain === undefined || domain.length > longestDomain) return undefined;
  const labels = domain.split('.');
  // A top-level domain has letters; four numbers are an IP address.
  const isSound = labels.length > 1 && labels.every((part) => label.test(part)) && /[a-z]/.test(labels.at(-1) ?? '');
  return isSound ? domain : undefined;
};

/**
 * An email address in the form in which it is stored and compared: in lower case, with the domain in ASCII. So
 * `info@münchen.example` and `info@xn--mnchen-3ya.example` are the same. Undefined if mail can't be sent to this
 * address.
 */
export const canonicalEmail = (text: string): string | undefined => {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  if (local.length > longestLocal || !dotAtom.test(local)) return undefined;
  const domain = domainOf(text.slice(at + 1));
  if (domain === undefined) return undefined;
  const address = `${local.toLowerCase()}@${domain}`;
  const longest = limits.emailCharacters;
  return address.length <= longest && [...text].length <= longest ? address : undefined;
};

/**
 * The first mistake in a text that should be an email address: it has no `@`, it has a blank, one of its two parts is
 * wrong, or its length is.
 */
export type EmailFlaw = 'no at' | 'blank' | 'local part' | 'domain' | 'length';

/** Why mail can't be sent to this address; undefined if it can. */
export const emailFlaw = (text: string): EmailFlaw | undefined => {
  if (canonicalEmail(text) !== undefined) return undefined;
  const at = text.lastIndexOf('@');
  if (at < 0) return 'no at';
  if (/\s/u.test(text)) return 'blank';
  const local = text.slice(0, at);
  if (local.length <= longestLocal && !dotAtom.test(local)) return 'local part';
  return domainOf(text.slice(at + 1)) === undefined ? 'domain' : 'length';
};

/**
 * A part of an address in the form of stored addresses, so that a search for `info@münchen.example` or `münchen` finds
 * `info@xn--mnchen-3ya.example`. A search finds whole international labels only, because a part of such a label has no
 * ASCII form.
 */
export const emailPart = (text: string): string => {
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  return /^[\x20-\x7e]*$/.test(domain) ? text : text.slice(0, at) + (asciiForm(domain) ?? domain);
};
