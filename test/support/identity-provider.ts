import { createPublicKey, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import { Provider, type AdapterFactory, type AdapterPayload } from 'oidc-provider';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { certificates } from './certificates.ts';
import { listen } from './ports.ts';

/** A person at the provider. */
export interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export type Claims = Record<string, unknown>;

/** How a token differs from one of the provider. */
interface Forgery {
  header?: object;
  /** By default the published key with RS256. */
  signature?: (text: string) => Buffer;
}
export type Sign = (claims: Claims, forgery?: Forgery) => string;

export interface IdentityProvider {
  readonly issuer: string;
  readonly client: { readonly client_id: string; readonly client_secret: string };
  /** The accounts by their login, which is also their subject. */
  readonly accounts: Map<string, Account>;
  /** Its public key, and one that it has never published. */
  readonly publicKey: KeyObject;
  readonly strangersKey: KeyObject;
  /** The provider sends browsers only to addresses that were registered. */
  register(redirectUri: string): void;
  /** Makes other ID tokens of the right claims. */
  lie(change: ((claims: Claims, sign: Sign) => string) | undefined): void;
  /** Sends another text for the JSON that it would answer at a path. */
  change(path: string, answer: (body: object) => string): void;
  /** Changes the discovery document. */
  announce(change: object): void;
  /** From now on the provider is honest. */
  stopLying(): void;
  /** Signs in at the provider's page, and returns the address to which the browser comes back. */
  answerFor(url: string, login: string): Promise<string>;
  /** The requests to the provider, as `GET /path`. */
  readonly requests: string[];
  /** The codes that its token endpoint has received. */
  readonly codes: string[];
  close(): Promise<void>;
}

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const kid = 'of the tests';

/** An RS256 signature with a key. */
export const signatureWith =
  (key: KeyObject) =>
  (text: string): Buffer =>
    createSign('sha256').update(text).sign(key);

const claimsOf = (token: string): Claims =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()));

/** Keeps everything in memory. The client is asked for each time, because its addresses change. */
const inMemory = (client: () => AdapterPayload): AdapterFactory => {
  const rows = new Map<string, AdapterPayload>();
  return (model) => {
    const keyOf = (id: string) => `${model} ${id}`;
    return {
      upsert: async (id, row) => void rows.set(keyOf(id), row),
      find: async (id) => {
        if (model !== 'Client') return rows.get(keyOf(id));
        return id === client().client_id ? client() : undefined;
      },
      findByUid: async (uid) => [...rows.values()].find((row) => row.kind === model && row.uid === uid),
      findByUserCode: async () => undefined,
      consume: async (id) => void rows.set(keyOf(id), { ...rows.get(keyOf(id)), consumed: true }),
      destroy: async (id) => void rows.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
      },
    };
  };
};

interface Options {
  /** By default the address is only in the answer of the userinfo endpoint. */
  emailInIdToken?: boolean;
  /** Whether it names itself in its answers (`iss`, RFC 9207). */
  sendsIss?: boolean;
}

/** A real OpenID provider with TLS on this machine. Every password is right. */
export const startIdentityProvider = async ({
  emailInIdToken = false,
  sendsIss = true,
}: Options = {}): Promise<IdentityProvider> => {
  const { server: certificate, ca } = await certificates();
  const [key, strangersKey] = [makeKey(), makeKey()];
  const accounts = new Map<string, Account>();
  const requests: string[] = [];
  const codes: string[] = [];
  const redirectUris = new Set<string>();
  const server = createServer(certificate);
  const port = await listen(server);
  const issuer = `https://127.0.0.1:${port}`;
  const client = { client_id: 'the team', client_secret: 'a secret+of/the=team%:' };
  const sign: Sign = (claims, { header = {}, signature = signatureWith(key) } = {}) => {
    const text = `${part({ alg: 'RS256', kid, typ: 'JWT', ...header })}.${part(claims)}`;
    return `${text}.${signature(text).toString('base64url')}`;
  };
  let lie: ((claims: Claims, sign: Sign) => string) | undefined;
  const changes = new Map<string, (body: object) => string>();
  const discoveryPath = '/.well-known/openid-configuration';

  const provider = new Provider(issuer, {
    adapter: inMemory(() => ({ ...client, redirect_uris: [...redirectUris] })),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !emailInIdToken,
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    findAccount: (_context, login) => {
      const account = accounts.get(login);
      return account && { accountId: login, claims: async () => ({ sub: login, ...account }) };
    },
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const { client: asking, session } = oidc;
      if (!asking || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: asking.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    requests.push(`${context.method} ${context.path}`);
    await next();
    // Its own pages load a font from elsewhere.
    if (typeof context.body === 'string') context.body = context.body.replaceAll(/@import url\([^)]*\);/g, '');
    const { code } = z.object({ code: z.string() }).partial().catch({}).parse(context.oidc?.body);
    if (code !== undefined) codes.push(code);
    const token = z.looseObject({ id_token: z.string() }).safeParse(context.body);
    if (token.success && lie) {
      context.body = { ...token.data, id_token: lie(claimsOf(token.data.id_token), sign) };
    }
    if (!sendsIss) {
      const location = new URL(context.response.get('location') || issuer, issuer);
      if (location.searchParams.has('iss')) {
        location.searchParams.delete('iss');
        context.set('location', location.href);
      }
      if (context.path === discoveryPath) {
        context.body = { ...context.body, authorization_response_iss_parameter_supported: undefined };
      }
    }
    const change = changes.get(context.path);
    if (change) {
      context.body = change(z.looseObject({}).catch({}).parse(context.body));
      context.type = 'json';
    }
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));

  const dispatcher = new Agent({ connect: { ca } });
  return {
    issuer,
    client,
    accounts,
    requests,
    codes,
    publicKey: createPublicKey(key),
    strangersKey,
    register: (redirectUri) => void redirectUris.add(redirectUri),
    lie: (change) => {
      lie = change;
    },
    change: (path, answer) => void changes.set(path, answer),
    announce: (change) => void changes.set(discoveryPath, (body) => JSON.stringify({ ...body, ...change })),
    stopLying: () => {
      lie = undefined;
      changes.clear();
    },
    answerFor: async (url, login) => {
      const cookies = new Map<string, string>();
      const visit = async (address: string, form?: Record<string, string>): Promise<string> => {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(address, {
          dispatcher,
          redirect: 'manual',
          headers: { cookie },
          ...(form && { method: 'POST', body: new URLSearchParams(form) }),
        });
        for (const line of response.headers.getSetCookie()) {
          const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null)
          throw new Error(`${address} answers ${response.status}: ${(await response.text()).slice(-600)}`);
        return new URL(location, issuer).href;
      };
      const interaction = await visit(url);
      const resumed = await visit(interaction, { prompt: 'login', login, password: 'any' });
      return visit(resumed);
    },
    close: async () => {
      server.closeAllConnections();
      await Promise.all([dispatcher.close(), new Promise((resolve) => server.close(resolve))]);
    },
  };
};
