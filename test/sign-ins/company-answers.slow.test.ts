import { createHmac, createSign } from 'node:crypto';
import { expect, describe, it, beforeAll } from 'vitest';
import type { Tx } from '../../src/db/database.ts';
import { lockRow } from '../../src/db/lock-row.ts';
import { makeBrowser, type BrowserSession } from '../support/people.ts';
import { useCompanies, type Company } from '../support/company.ts';
import { signatureWith, type Claims, type Sign } from '../support/identity-provider.ts';
import { holdRows, untilLockWaits } from '../support/postgres.ts';

// Answers of a provider, honest and hostile ones. Each is one try over HTTP: what the browser brings back, what the
// provider's endpoints answer, and the ID token.

const { service, provider, aCompany, anAccount, start, finish } = await useCompanies();
const { client, publicKey, strangersKey } = provider;

let company: Company;
let other: Company;
beforeAll(async () => {
  [company, other] = [await aCompany({ seats: 1_000 }), await aCompany()];
});

const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const now = () => Math.floor(Date.now() / 1000);

type Expected = 'refused' | 'accepted';

interface Try {
  /** Changes what the browser brings back. */
  query?: (query: URLSearchParams) => void;
  token?: (claims: Claims, sign: Sign) => string;
  /** What the provider answers at a path. */
  answer?: readonly [path: string, (body: object) => string];
  announce?: object;
  account?: (email: string) => object;
  expected?: Expected;
}

/** A try whose ID token has changed claims and a right signature. `undefined` leaves a claim out. */
const claims = (change: Claims): Try => ({ token: (right, sign) => sign({ ...right, ...change }) });

/** The same with the address in the ID token, so that the userinfo endpoint is not called. */
const claimsWithEmail = (change: (email: string) => Claims, expected: Expected = 'refused'): Try => ({
  token: (right, sign) => sign({ ...right, email_verified: true, ...change(emailOfTry()) }),
  expected,
});

let number = 0;
const emailOfTry = () => `person-${number}@${company.domain}`;

const hmac = (secret: string | Buffer, alg = 'HS256'): Try => ({
  token: (right, sign) =>
    sign(right, { header: { alg }, signature: (text) => createHmac('sha256', secret).update(text).digest() }),
});

const signedByStranger = (header: object = {}): Try => ({
  token: (right, sign) => sign(right, { header, signature: signatureWith(strangersKey) }),
});

const { n: modulus = '' } = publicKey.export({ format: 'jwk' });
const strangersJwk = strangersKey.export({ format: 'jwk' });
const { kty, n, e } = strangersJwk;
const strangersPublicJwk = { kty, n, e, kid: 'of the tests', use: 'sig', alg: 'RS256' };
const ownJwk = { ...publicKey.export({ format: 'jwk' }), kid: 'of the tests', use: 'sig', alg: 'RS256' };
const jwks = (...keys: object[]): Try => ({ answer: ['/jwks', () => JSON.stringify({ keys })] });

const tokenAnswer = (change: object): Try => ({
  answer: ['/token', (body) => JSON.stringify({ ...body, ...change })],
});
const userinfo = (change: object): Try => ({ answer: ['/me', (body) => JSON.stringify({ ...body, ...change })] });

const set = (name: string, value: string): Try => ({ query: (query) => query.set(name, value) });
const remove = (name: string): Try => ({ query: (query) => query.delete(name) });
const twice = (name: string): Try => ({ query: (query) => query.append(name, query.get(name) ?? '') });

const account = (change: object, expected: Expected = 'refused'): Try => ({
  account: () => change,
  expected,
});

const tries: Readonly<Record<string, Try>> = {
  // What must work, so that the refusals below have the reason that they name.
  'everything is right': { expected: 'accepted' },
  'the same claims, signed again': { ...claims({}), expected: 'accepted' },
  'aud: a list of this client': { ...claims({ aud: [client.client_id] }), expected: 'accepted' },
  'aud: another client beside this one, which azp names': {
    ...claims({ aud: [client.client_id, 'other'], azp: client.client_id }),
    expected: 'accepted',
  },
  'sub: 255 ASCII characters': claimsWithEmail((email) => ({ email, sub: 's'.repeat(255) }), 'accepted'),
  'email_verified: true as a text': claimsWithEmail((email) => ({ email, email_verified: 'true' }), 'accepted'),
  'email_verified: left out': claimsWithEmail((email) => ({ email, email_verified: undefined }), 'accepted'),
  'email: in upper case': claimsWithEmail((email) => ({ email: email.toUpperCase() }), 'accepted'),
  'name: 300,000 letters': claimsWithEmail((email) => ({ email, name: 'n'.repeat(300_000) }), 'accepted'),
  'name: a number': claimsWithEmail((email) => ({ email, name: 7 }), 'accepted'),
  'name: a link': claimsWithEmail((email) => ({ email, name: 'evil.example' }), 'accepted'),

  'iss: another provider': claims({ iss: 'https://other.example' }),
  'iss: with a slash at its end': claims({ iss: `${provider.issuer}/` }),
  'iss: in upper case': claims({ iss: provider.issuer.toUpperCase() }),
  'iss: a list': claims({ iss: [provider.issuer] }),
  'iss: null': claims({ iss: null }),
  'iss: left out': claims({ iss: undefined }),
  'aud: another client': claims({ aud: 'another client' }),
  'aud: with a blank at its end': claims({ aud: `${client.client_id} ` }),
  'aud: an empty list': claims({ aud: [] }),
  'aud: null': claims({ aud: null }),
  'aud: a number': claims({ aud: 1 }),
  'aud: left out': claims({ aud: undefined }),
  'aud: another client beside this one': claims({ aud: [client.client_id, 'other'] }),
  'azp: another client': claims({ aud: [client.client_id, 'other'], azp: 'other' }),
  'azp: a list': claims({ aud: [client.client_id, 'other'], azp: [client.client_id] }),
  'nonce: another one': claims({ nonce: 'x' }),
  'nonce: empty': claims({ nonce: '' }),
  'nonce: null': claims({ nonce: null }),
  'nonce: left out': claims({ nonce: undefined }),
  'nonce: a list of the right one': { token: (right, sign) => sign({ ...right, nonce: [right['nonce']] }) },
  'exp: over': claims({ exp: now() - 3_600 }),
  'exp: a text': claims({ exp: String(now() + 3_600) }),
  'exp: null': claims({ exp: null }),
  'exp: left out': claims({ exp: undefined }),
  'iat: a text': claims({ iat: String(now()) }),
  'iat: left out': claims({ iat: undefined }),
  'nbf: in an hour': claims({ nbf: now() + 3_600 }),
  'nbf: a text': claims({ nbf: '0' }),

  'sub: empty': claimsWithEmail((email) => ({ email, sub: '' })),
  'sub: a number': claimsWithEmail((email) => ({ email, sub: 7 })),
  'sub: null': claimsWithEmail((email) => ({ email, sub: null })),
  'sub: left out': claimsWithEmail((email) => ({ email, sub: undefined })),
  'sub: 256 characters': claimsWithEmail((email) => ({ email, sub: 's'.repeat(256) })),
  'sub: 100,000 characters': claimsWithEmail((email) => ({ email, sub: 's'.repeat(100_000) })),
  'sub: with a NUL': claimsWithEmail((email) => ({ email, sub: 'a\u0000b' })),
  'sub: with a line break': claimsWithEmail((email) => ({ email, sub: 'a\nb' })),
  'sub: not ASCII': claimsWithEmail((email) => ({ email, sub: 'jürgen' })),
  'sub: half a character': claimsWithEmail((email) => ({ email, sub: 'a\ud800' })),
  'sub: another one than the userinfo endpoint’s': claims({ sub: 'somebody else' }),

  'alg: none, without a signature': {
    token: (right, sign) => sign(right, { header: { alg: 'none' }, signature: () => Buffer.from('') }),
  },
  'alg: none, with a signature': { token: (right, sign) => sign(right, { header: { alg: 'none' } }) },
  'alg: nOnE': {
    token: (right, sign) => sign(right, { header: { alg: 'nOnE' }, signature: () => Buffer.from('') }),
  },
  'alg: none, which the provider announces': {
    token: (right, sign) => sign(right, { header: { alg: 'none' }, signature: () => Buffer.from('') }),
    announce: { id_token_signing_alg_values_supported: ['none', 'RS256'] },
  },
  'alg: left out': { token: (right, sign) => sign(right, { header: { alg: undefined } }) },
  'alg: a list': { token: (right, sign) => sign(right, { header: { alg: ['RS256'] } }) },
  'alg: RS512 over a signature of RS256': { token: (right, sign) => sign(right, { header: { alg: 'RS512' } }) },
  'alg: RS512 that was not announced': {
    token: (right, sign) =>
      sign(right, {
        header: { alg: 'RS512' },
        signature: (text) => createSign('sha512').update(text).sign(strangersKey),
      }),
    announce: { id_token_signing_alg_values_supported: ['RS256'] },
  },
  'HS256 with the client secret': hmac(client.client_secret),
  'HS256 with the client secret, which the provider announces': {
    ...hmac(client.client_secret),
    announce: { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
  },
  'HS256 with the public key as PEM': hmac(publicKey.export({ type: 'spki', format: 'pem' })),
  'HS256 with the public key as DER': hmac(publicKey.export({ type: 'spki', format: 'der' })),
  'HS256 with the public key as PKCS #1': hmac(publicKey.export({ type: 'pkcs1', format: 'pem' })),
  'HS256 with the public key as JSON': hmac(JSON.stringify(ownJwk)),
  'HS256 with the modulus of the public key': hmac(Buffer.from(modulus, 'base64url')),
  'HS256 with the text of the modulus': hmac(modulus),
  'HS256 with an empty key': hmac(''),
  'HS384 with the public key as PEM': hmac(publicKey.export({ type: 'spki', format: 'pem' }), 'HS384'),

  'a foreign key under the provider’s kid': signedByStranger(),
  'a foreign key under its own kid': signedByStranger({ kid: 'foreign' }),
  'a foreign key without a kid': signedByStranger({ kid: undefined }),
  'a foreign key in the header: jwk': signedByStranger({ jwk: strangersPublicJwk }),
  'a foreign key in the header without a kid: jwk': signedByStranger({ kid: undefined, jwk: strangersPublicJwk }),
  'a foreign key at an address in the header: jku': signedByStranger({ jku: 'https://127.0.0.1:9/jwks' }),
  'a foreign key in the header: x5c': signedByStranger({ x5c: ['MIIB'] }),
  'a header that must be understood: crit': {
    token: (right, sign) => sign(right, { header: { crit: ['unknown'], unknown: 1 } }),
  },
  'kid: not published': { token: (right, sign) => sign(right, { header: { kid: 'unknown' } }) },
  'published: no key': jwks(),
  'published: only a foreign key': jwks(strangersPublicJwk),
  'published: two keys with one kid': jwks(ownJwk, strangersPublicJwk),
  'published: the key for encryption only': jwks({ ...ownJwk, use: 'enc' }),
  'published: the key for another algorithm': jwks({ ...ownJwk, alg: 'PS256' }),
  'published: no JSON': { answer: ['/jwks', () => '<html>'] },
  'published: nested 100,000 deep': { answer: ['/jwks', () => `{"keys":${deep}}`] },
  'published: the key beside a member that is nested 100,000 deep': {
    answer: ['/jwks', () => `{"keys":[${JSON.stringify(ownJwk)}],"x":${deep}}`],
  },

  'a token of two parts': { token: (right, sign) => sign(right).split('.').slice(0, 2).join('.') },
  'a token of five parts': { token: (right, sign) => `${sign(right)}.e.f` },
  'a token whose signature is cut': { token: (right, sign) => sign(right).slice(0, -8) },
  'a token with the signature of other claims': {
    token: (right, sign) => {
      const [head = '', body = ''] = sign(right).split('.');
      return `${head}.${body}.${sign({ ...right, sub: 'x' }).split('.')[2] ?? ''}`;
    },
  },
  'a token without JSON': { token: () => `${Buffer.from('{}').toString('base64url')}.e30x.e30` },
  'a token that is empty': { token: () => '' },
  'a token whose claims are nested 100,000 deep': {
    token: (right, sign) => {
      const [head = ''] = sign(right).split('.');
      const body = Buffer.from(`{"iss":${deep}}`).toString('base64url');
      return `${head}.${body}.${signatureWith(strangersKey)(`${head}.${body}`).toString('base64url')}`;
    },
  },

  'token endpoint: no ID token': tokenAnswer({ id_token: undefined }),
  'token endpoint: the ID token in a list': {
    answer: ['/token', (body) => JSON.stringify({ ...body, id_token: ['x'] })],
  },
  'token endpoint: no access token': tokenAnswer({ access_token: undefined }),
  'token endpoint: another type of token': tokenAnswer({ token_type: 'mac' }),
  'token endpoint: a list': { answer: ['/token', () => '[]'] },
  'token endpoint: null': { answer: ['/token', () => 'null'] },
  'token endpoint: no JSON': { answer: ['/token', () => '<html>'] },
  'token endpoint: nested 100,000 deep': { answer: ['/token', () => deep] },
  'token endpoint: a member that is nested 100,000 deep': {
    answer: ['/token', (body) => `${JSON.stringify(body).slice(0, -1)},"x":${deep}}`],
  },
  'userinfo: another subject': userinfo({ sub: 'somebody else' }),
  'userinfo: no subject': userinfo({ sub: undefined }),
  'userinfo: null': { answer: ['/me', () => 'null'] },
  'userinfo: nested 100,000 deep': { answer: ['/me', () => deep] },
  'userinfo: an address that is nested 100,000 deep': {
    answer: ['/me', (body) => `${JSON.stringify({ ...body, email: undefined }).slice(0, -1)},"email":${deep}}`],
  },

  'state: another one': set('state', 'x'),
  'state: empty': set('state', ''),
  'state: left out': remove('state'),
  'state: twice': twice('state'),
  'iss of the answer: another provider': set('iss', 'https://other.example'),
  'iss of the answer: with a slash at its end': set('iss', `${provider.issuer}/`),
  'iss of the answer: empty': set('iss', ''),
  'iss of the answer: twice': twice('iss'),
  'iss of the answer: left out, although the provider announces it': remove('iss'),
  'iss of the answer: left out, and not announced': {
    ...remove('iss'),
    announce: { authorization_response_iss_parameter_supported: undefined },
    expected: 'accepted',
  },
  'iss of the answer: another provider, and not announced': {
    ...set('iss', 'https://other.example'),
    announce: { authorization_response_iss_parameter_supported: false },
  },
  'code: another one': set('code', 'x'),
  'code: empty': set('code', ''),
  'code: left out': remove('code'),
  'code: twice': twice('code'),
  'an error beside the code': set('error', 'access_denied'),
  'an ID token in the address': set('id_token', 'x'),
  'a signed answer in the address': set('response', 'x'),

  'no address': account({ email: undefined }),
  'an address of a foreign domain': account({ email: 'vera@foreign.example' }),
  ...Object.fromEntries(
    [false, 'false', 'False', 'FALSE', 'TRUE', 0, '0', 1, '1', 'no', '', 'nope', null, [], [true], {}].map((value) => [
      `email_verified: ${JSON.stringify(value)}`,
      claimsWithEmail((email) => ({ email, email_verified: value })),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries<(domain: string) => unknown>({
      'without an @': (domain) => domain,
      'without a local part': (domain) => `@${domain}`,
      'of a subdomain': (domain) => `x@sub.${domain}`,
      'of a domain that ends in the right one': (domain) => `x@evil-${domain}`,
      'of a domain that begins with the right one': (domain) => `x@${domain}.evil.example`,
      'with the right domain before another one': (domain) => `x@${domain}@evil.example`,
      'with another one before the right domain': (domain) => `x@evil.example@${domain}`,
      'with a name around it': (domain) => `Vera <x@${domain}>`,
      'in quotes': (domain) => `"x"@${domain}`,
      'with a NUL': (domain) => `x\u0000@${domain}`,
      'with a blank': (domain) => `x y@${domain}`,
      'with a second one after a comma': (domain) => `x@${domain},y@evil.example`,
      'with a path in its domain': (domain) => `x@${domain}/y`,
      'with a full stop at its end': (domain) => `x@${domain}.`,
      'with half a character': (domain) => `x\ud800@${domain}`,
      'of 300,000 characters': (domain) => `${'x'.repeat(300_000)}@${domain}`,
      'with a domain of 300,000 characters': (domain) => `x@${'ü'.repeat(300_000)}.${domain}`,
      'in a list': (domain) => [`x@${domain}`],
      'in an object': (domain) => ({ value: `x@${domain}` }),
      'a number': () => 7,
    }).map(([what, make]) => [`email: ${what}`, claimsWithEmail(() => ({ email: make(company.domain) }))]),
  ),
};

/** A person who has begun to sign in, and the address to which the provider sends the browser. */
const begun = async (change: object = {}) => {
  number += 1;
  const email = emailOfTry();
  const browser = makeBrowser(service);
  const url = String((await start(browser, email)).data['redirect_to']);
  return { browser, email, url, address: await provider.answerFor(url, anAccount(email, change)) };
};

const expectRefused = async (browser: BrowserSession, answer: ReturnType<typeof finish>): Promise<void> => {
  const { status, problem } = await answer;
  expect([status, problem]).toEqual([409, expect.objectContaining({ code: 'conflict', detail: expect.any(String) })]);
  expect(await browser.isSignedIn()).toBe(false);
};

describe('an answer of the provider', () => {
  it.each(Object.entries(tries).map(([name, one]) => [name, one.expected ?? 'refused', one] as const))(
    '%s: %s',
    async (_name, expected, { query, token, answer, announce, account: change }) => {
      const before = await service.database.prisma.member.count({ where: { tenantId: company.team.id } });
      const { browser, email, address } = await begun(change?.(''));
      const returned = new URL(address);
      query?.(returned.searchParams);
      if (token) provider.lie(token);
      if (announce) provider.announce(announce);
      if (answer) provider.change(...answer);
      if (expected === 'accepted') {
        expect((await finish(browser, returned.href)).status).toBe(200);
        expect(await service.database.prisma.member.count({ where: { tenantId: company.team.id, email } })).toBe(1);
        return;
      }
      await expectRefused(browser, finish(browser, returned.href));
      expect(await service.database.prisma.member.count({ where: { tenantId: company.team.id } })).toBe(before);
      expect(await service.database.prisma.person.count({ where: { email } })).toBe(0);
    },
  );

  const flows: Readonly<Record<string, () => Promise<void>>> = {
    'in another browser': async () => {
      const { address } = await begun();
      const another = makeBrowser(service);
      await expectRefused(another, finish(another, address));
    },
    'in a browser that has begun another sign-in since': async () => {
      const { browser, address } = await begun();
      await start(browser, emailOfTry());
      await expectRefused(browser, finish(browser, address));
    },
    'at the address of another team': async () => {
      const { browser, address } = await begun();
      await expectRefused(browser, finish(browser, address.replace(company.team.id, other.team.id)));
    },
    'at no team’s address': async () => {
      const { browser, address } = await begun();
      await expectRefused(browser, finish(browser, address.replace(company.team.id, '')));
    },
    'in the sign-in of another team': async () => {
      const { address } = await begun();
      const browser = makeBrowser(service);
      await start(browser, `vera@${other.domain}`);
      await expectRefused(browser, finish(browser, address.replace(company.team.id, other.team.id)));
    },
    'with a code that was made for another sign-in, although state and nonce are right: PKCE': async () => {
      const { browser, url } = await begun();
      const { address } = await begun();
      const { searchParams: sent } = new URL(url);
      const stolen = new URL(address);
      stolen.searchParams.set('state', sent.get('state') ?? '');
      provider.lie((right, sign) => sign({ ...right, nonce: sent.get('nonce') }));
      await expectRefused(browser, finish(browser, stolen.href));
    },
    'with an ID token of another sign-in': async () => {
      const first = await begun();
      let former = '';
      provider.lie((right, sign) => (former = sign(right)));
      expect((await finish(first.browser, first.address)).status).toBe(200);
      const { browser, address } = await begun();
      provider.lie(() => former);
      await expectRefused(browser, finish(browser, address));
    },
    'after ten minutes': async () => {
      const { browser, address } = await begun();
      service.clock.forward(11 * 60_000);
      await expectRefused(browser, finish(browser, address));
      service.clock.forward(-11 * 60_000);
    },
    'with a changed cookie': async () => {
      const { browser, address } = await begun();
      const [name = '', value = ''] = [...browser.cookies].find(([one]) => one.endsWith('company_sign_in')) ?? [];
      browser.cookies.set(name, `${value.slice(0, -4)}AAAA`);
      await expectRefused(browser, finish(browser, address));
    },
    'with an account whose address belongs to another account of the provider': async () => {
      const first = await begun();
      expect((await finish(first.browser, first.address)).status).toBe(200);
      const browser = makeBrowser(service);
      const url = String((await start(browser, first.email)).data['redirect_to']);
      await expectRefused(browser, finish(browser, await provider.answerFor(url, anAccount(first.email))));
    },
  };
  it.each<[string, (tx: Tx, tenantId: string) => Promise<unknown>]>([
    ['its domain is removed', (tx, tenantId) => tx.companyDomain.deleteMany({ where: { tenantId } })],
    [
      'the provider is switched off',
      (tx, tenantId) => tx.companySignIn.updateMany({ where: { tenantId }, data: { enabled: false } }),
    ],
    [
      'the provider is replaced',
      (tx, tenantId) => tx.companySignIn.updateMany({ where: { tenantId }, data: { clientId: 'another' } }),
    ],
  ])('while %s: refused', async (_what, change) => {
    const { team, domain } = await aCompany();
    const email = `vera@${domain}`;
    const browser = makeBrowser(service);
    const url = String((await start(browser, email)).data['redirect_to']);
    const address = await provider.answerFor(url, anAccount(email));
    const commit = await holdRows(service, async (tx) => {
      lockRow(tx, 'team', { id: team.id });
      await change(tx, team.id);
    });
    const answer = finish(browser, address);
    await untilLockWaits(service);
    await commit();
    await expectRefused(browser, answer);
    expect(await service.database.prisma.session.count({ where: { companyTeamId: team.id } })).toBe(0);
  });

  it.each(Object.entries(flows))('%s: refused', async (_name, run) => run());

  it('sent ten times at once: accepted once', async () => {
    const { browser, address } = await begun();
    const cookies = new Map(browser.cookies);
    const browsers = Array.from({ length: 10 }, () => {
      const copy = makeBrowser(service);
      for (const [name, value] of cookies) copy.cookies.set(name, value);
      return copy;
    });
    const answers = await Promise.all(browsers.map((copy) => finish(copy, address)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(409)]);
  });
});

describe('a discovery document', () => {
  const withMember = (member: string) => (body: object) => `${JSON.stringify(body).slice(0, -1)},${member}}`;

  it.each<[string, (body: object) => string]>([
    ['that is nested 100,000 deep', () => deep],
    ['with objects that are nested 100,000 deep', () => '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['with a member that is nested 100,000 deep', withMember(`"x":${deep}`)],
    [
      'with a list of algorithms that is nested 100,000 deep',
      withMember(`"id_token_signing_alg_values_supported":${deep}`),
    ],
    ['with an endpoint that is nested 100,000 deep', withMember(`"token_endpoint":${deep}`)],
    ['that is null', () => 'null'],
    ['that is a list', () => '[]'],
    ['that is empty', () => ''],
    ['with an endpoint that is a list', withMember('"token_endpoint":["https://x.example"]')],
    ['with an endpoint of 300,000 characters', withMember(`"jwks_uri":"${'x'.repeat(300_000)}"`)],
    [
      'that does not say whether it names itself in answers',
      withMember('"authorization_response_iss_parameter_supported":"yes"'),
    ],
  ])('%s is refused when it is saved and when somebody signs in', async (_what, answer) => {
    const { ask, domain, team } = await aCompany();
    provider.change('/.well-known/openid-configuration', answer);
    for (const refused of [
      await ask('save', { issuer: provider.issuer, ...client, role: 'member' }),
      await start(makeBrowser(service), `vera@${domain}`),
    ]) {
      expect([refused.status, refused.problem]).toEqual([
        422,
        expect.objectContaining({ code: 'validation_error', field: 'issuer', detail: expect.any(String) }),
      ]);
    }
    expect(await service.database.prisma.companySignIn.count({ where: { tenantId: team.id } })).toBe(1);
  });
});

describe('a fresh proof', () => {
  /** Shows the company account once more in a session. */
  const prove = async (token?: Try['token']) => {
    const { browser, address, email } = await begun();
    await finish(browser, address);
    const { data } = await browser.mutate('entrance/account.startCompanyProof');
    const login = [...provider.accounts].findLast(([, one]) => one.email === email)?.[0] ?? '';
    const proof = await provider.answerFor(String(data['redirect_to']), login);
    provider.lie(token);
    return finish(browser, proof);
  };
  const authTime = (make: () => unknown) => (right: Claims, sign: Sign) => sign({ ...right, auth_time: make() });

  it.each<[string, 'given' | 'not given', Try['token'] | undefined]>([
    ['as the provider sends it', 'given', undefined],
    ['5 seconds before the start', 'given', authTime(() => now() - 5)],
    ['5 seconds in the future', 'given', authTime(() => now() + 5)],
    ['a minute before the start', 'not given', authTime(() => now() - 60)],
    ['30 seconds before the start', 'not given', authTime(() => now() - 30)],
    ['30 seconds in the future', 'not given', authTime(() => now() + 30)],
    ['in a year', 'not given', authTime(() => now() + 365 * 86_400)],
    ['0', 'not given', authTime(() => 0)],
    ['below 0', 'not given', authTime(() => -1)],
    ['null', 'not given', authTime(() => null)],
    ['a text', 'not given', authTime(() => String(now()))],
    ['left out', 'not given', authTime(() => undefined)],
    ['beyond all times', 'not given', authTime(() => 1e300)],
  ])('with auth_time %s: %s', async (_when, expected, token) => {
    const { status } = await prove(token);
    expect(status).toBe(expected === 'given' ? 200 : 409);
  });
});

it('at least 87 of these tries are hostile', () => {
  const hostile = Object.values(tries).filter(({ expected = 'refused' }) => expected === 'refused');
  expect(hostile.length).toBeGreaterThanOrEqual(87);
});
