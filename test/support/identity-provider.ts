import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import { Provider } from 'oidc-provider';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { certificates } from './certificates.ts';
import { listen } from './listen.ts';

/** A person at the provider. */
export interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

type Claims = Record<string, unknown>;

export interface IdentityProvider {
  readonly issuer: string;
  readonly client: { readonly client_id: string; readonly client_secret: string };
  /** The accounts by their login, which is also their subject. */
  readonly accounts: Map<string, Account>;
  /** Changes ID tokens before they are sent. `signedBy`: with another key than the published one. */
  lie(change: ((claims: Claims) => Claims) | undefined, how?: { signedBy?: 'stranger' }): void;
  /** Changes the discovery document. */
  announce(change: object): void;
  /** Signs in at the provider's page, and returns the query with which the browser comes back. */
  answerFor(url: string, login: string): Promise<string>;
  /** The requests to the provider, as `GET /path`. */
  readonly requests: string[];
  close(): Promise<void>;
}

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const signed = (claims: Claims, key: KeyObject): string => {
  const text = `${part({ alg: 'RS256', kid: 'of the tests', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createSign('sha256').update(text).sign(key).toString('base64url')}`;
};

const claimsOf = (token: string): Claims =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()));

interface Options {
  redirectUri: string;
  /** By default the address is only in the answer of the userinfo endpoint. */
  emailInIdToken?: boolean;
}

/** A real OpenID provider with TLS on this machine. Every password is right. */
export const startIdentityProvider = async ({
  redirectUri,
  emailInIdToken = false,
}: Options): Promise<IdentityProvider> => {
  const { server: certificate, ca } = await certificates();
  const [key, strangersKey] = [makeKey(), makeKey()];
  const accounts = new Map<string, Account>();
  const requests: string[] = [];
  const server = createServer(certificate);
  const port = await listen(server);
  const issuer = `https://127.0.0.1:${port}`;
  const client = { client_id: 'the team', client_secret: 'a secret+of/the=team%:' };
  let lie: ((claims: Claims) => Claims) | undefined;
  let lyingKey = key;
  let announced: object = {};

  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !emailInIdToken,
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: 'of the tests', use: 'sig', alg: 'RS256' }] },
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
    if (context.path === '/.well-known/openid-configuration') {
      context.body = { ...z.looseObject({}).parse(context.body), ...announced };
    }
    const body = z.looseObject({ id_token: z.string() }).safeParse(context.body);
    if (body.success && lie) {
      context.body = { ...body.data, id_token: signed(lie(claimsOf(body.data.id_token)), lyingKey) };
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
    lie: (change, { signedBy } = {}) => {
      lie = change;
      lyingKey = signedBy === 'stranger' ? strangersKey : key;
    },
    announce: (change) => {
      announced = change;
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
      return new URL(await visit(resumed)).search;
    },
    close: async () => {
      server.closeAllConnections();
      await Promise.all([dispatcher.close(), new Promise((resolve) => server.close(resolve))]);
    },
  };
};
