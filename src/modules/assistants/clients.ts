import { isPlainLine } from '../../core/name-text.ts';
import { clientLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/team.ts';
import { z } from 'zod';

// Assistants register themselves (RFC 7591), without any permission. So nothing is stored: the client id contains the
// registered data with our signature. Registrations cost no row, however many there are. Newer assistants need no
// registration (client-documents.ts).

export interface AssistantClient {
  /** The name that the assistant has given itself. Nobody has verified it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host of the assistant's document; absent if it has registered itself. */
  readonly documentHost?: string;
}

const purpose = 'assistant client';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether codes may be sent to an address: one of HTTPS, or of a program on the person's own machine. */
export const isRedirectUri = (text: string): boolean => {
  if (text.length > clientLimits.redirectUriCharacters || !URL.canParse(text) || !isPlainLine(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname));
  return isSafe && username === '' && password === '' && hash === '' && !text.includes('#');
};

/** An address without its port if it is on the person's own machine, the only place where `http:` is permitted. */
const withoutLocalPort = (text: string): string => {
  const url = new URL(text);
  if (url.protocol === 'http:') url.port = '';
  return url.href;
};

/**
 * Whether a code may be sent to an address. A document can't know at which port of the person's machine a program will
 * listen, so any port is accepted there (RFC 8252).
 */
export const mayRedirectTo = ({ redirectUris, documentHost }: AssistantClient, uri: string): boolean => {
  if (redirectUris.includes(uri)) return true;
  if (documentHost === undefined || !isRedirectUri(uri)) return false;
  const wanted = withoutLocalPort(uri);
  return uri.startsWith('http:') && redirectUris.some((known) => withoutLocalPort(known) === wanted);
};

const Payload = z.tuple([z.string(), z.array(z.string())]);

export const clientIdOf = ({ vault }: Platform, { name, redirectUris }: AssistantClient): string => {
  const payload = Buffer.from(JSON.stringify([name, redirectUris])).toString('base64url');
  return `${payload}.${vault.sign(purpose, payload)}`;
};

/** The assistant of a client id; undefined if we did not make the id. */
export const clientOf = ({ vault }: Platform, clientId: string): AssistantClient | undefined => {
  const [payload = '', signature = '', ...more] = clientId.split('.');
  if (more.length > 0 || !vault.isSigned(purpose, payload, signature)) return undefined;
  const [name, redirectUris] = Payload.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return { name, redirectUris };
};

/** A name that fits on one line. Without a usable name, the host of the assistant's address is shown. */
export const clientNameOf = (wanted: string | undefined, [redirectUri = '']: readonly string[]): string => {
  const name = (wanted ?? '').trim();
  const isShort = [...name].length <= clientLimits.nameCharacters;
  return name !== '' && isShort && isPlainLine(name) ? name : new URL(redirectUri).hostname;
};
