import { createSign, generateKeyPairSync } from 'node:crypto';
import { startReceiver } from '../../support/receiver.ts';

/** What a provider answers at each of its addresses; the defaults are a valid sign-in. */
export interface Script {
  readonly discovery?: object;
  readonly keys?: object;
  /** The answer of the token endpoint, without the ID token. */
  readonly tokens?: object;
  readonly idToken?: object;
  readonly userinfo?: object;
  /** The token endpoint refuses the code, with these headers. */
  readonly refusal?: Readonly<Record<string, string>>;
}

export interface ScriptedProvider {
  /** The issuer that follows a script. */
  issuerOf(script: Script): string;
  /** Sets the nonce for the next ID token of an issuer. */
  expect(issuer: string, nonce: string): void;
  close(): Promise<void>;
}

/** As in `aStoredProvider`. */
const clientId = 'a client';
/** The subject of its ID tokens. */
export const scriptedSubject = 'somebody';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An OpenID provider that answers with anything, without a page to sign in. Every issuer at it has its own script. */
export const startScriptedProvider = async (): Promise<ScriptedProvider> => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const scripts = new Map<string, Script>();
  const nonces = new Map<string, string>();
  const receiver = await startReceiver();
  const header = part({ alg: 'RS256', kid: 'scripted', typ: 'JWT' });
  const signed = (claims: object): string => {
    const text = `${header}.${part(claims)}`;
    return `${text}.${createSign('sha256').update(text).sign(privateKey).toString('base64url')}`;
  };

  const answerAt = (issuer: string, path: string, { discovery, keys, tokens, idToken, userinfo }: Script): object => {
    if (path === '/.well-known/openid-configuration') {
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        ...discovery,
      };
    }
    if (path === '/jwks') {
      const key = { ...publicKey.export({ format: 'jwk' }), kid: 'scripted', use: 'sig', alg: 'RS256', ...keys };
      return { keys: [key] };
    }
    if (path === '/userinfo') return { sub: scriptedSubject, ...userinfo };
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: clientId, sub: scriptedSubject, iat: now, auth_time: now };
    const token = signed({ ...claims, exp: now + 60, nonce: nonces.get(issuer), ...idToken });
    return { access_token: 'a token', token_type: 'Bearer', id_token: token, ...tokens };
  };
  receiver.answerWith(({ path }) => {
    const [, number = '', rest = ''] = /^\/(\d+)(\/.*)$/.exec(path) ?? [];
    const issuer = `${receiver.url}/${number}`;
    const script = scripts.get(issuer);
    if (!script) return { status: 404 };
    if (rest === '/token' && script.refusal) return { status: 401, headers: script.refusal };
    const body = JSON.stringify(answerAt(issuer, rest, script));
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  });

  return {
    issuerOf: (script) => {
      const issuer = `${receiver.url}/${scripts.size}`;
      scripts.set(issuer, script);
      return issuer;
    },
    expect: (issuer, nonce) => void nonces.set(issuer, nonce),
    close: () => receiver.close(),
  };
};
