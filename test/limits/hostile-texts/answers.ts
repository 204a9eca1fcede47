import { afterAll } from 'vitest';
import { companyLimits, crmLimits, limits } from '../../../src/core/limits.ts';
import { Problem } from '../../../src/core/problem.ts';
import { readDocument } from '../../../src/modules/catalog/document.ts';
import { addDomain } from '../../../src/modules/company-sign-in/service.ts';
import { SourceDeal, SourceObjection } from '../../../src/modules/crm/providers/rows.ts';
import type { JsonSchema } from '../../conformance/described-api.ts';
import { makeBrowser, aStoredProvider } from '../../support/people.ts';
import { aDomain } from '../../support/company.ts';
import { localEgress } from '../../support/worker.ts';
import { page } from '../../support/crm.ts';
import { hostilePatterns, textOfBytes } from './patterns.ts';
import { aReceiver, startReceiver } from '../../support/receiver.ts';
import { startScriptedProvider, type Script } from './scripted-provider.ts';
import { headBytes, inJson, type Room, type Target } from './inputs.ts';
import { headerText } from './plain.ts';
import { objectWith } from './targets.ts';
import type { Judge, Try } from './tries.ts';
import type { Callers } from './callers.ts';

// What other servers answer, and files.

const text: JsonSchema = { type: 'string' };
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const objectOf = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });
const andMore = (schema: JsonSchema): JsonSchema => ({ ...schema, additionalProperties: true });

/** The answer is JSON with something around it. */
const room = (bytes: number): Room => ({ bytes: bytes - 4_000, bytesOf: inJson });
const ofProvider = room(companyLimits.answerBytes);
const ofHeader: Room = { bytes: headBytes, bytesOf: (part) => Buffer.byteLength(part) };
/** An ID token is written in base64. */
const ofToken = room(companyLimits.answerBytes * 0.75);

export interface SignIns {
  /** A new person at the provider. */
  makeAccount(): { sub: string; email: string; email_verified: boolean; name: string };
  /** Signs in at a provider that follows a script, and answers with the status. */
  signIn(script: Script): Promise<number>;
}

export const useSignIns = async ({ service, team, makeAddress }: Callers): Promise<SignIns> => {
  const provider = await startScriptedProvider();
  afterAll(() => provider.close());
  const domain = aDomain();
  await aStoredProvider(service, team);
  await addDomain(await team.acting(), domain, { proven: true });
  let people = 0;
  return {
    makeAccount() {
      people += 1;
      return { sub: `person ${people}`, email: `p${people}@${domain}`, email_verified: true, name: 'Vera Kauf' };
    },
    async signIn(script) {
      const issuer = provider.issuerOf(script);
      await service.database.prisma.companySignIn.update({ where: { tenantId: team.id }, data: { issuer } });
      const visitor = makeBrowser(service, { address: makeAddress() });
      const started = await visitor.mutate('entrance/entrance.startCompanySignIn', { email: `x@${domain}` });
      if (started.status !== 200) return started.status;
      const { searchParams } = new URL(String(started.data['redirect_to']));
      provider.expect(issuer, searchParams.get('nonce') ?? '');
      const query = `code=a&state=${searchParams.get('state')}`;
      return (await visitor.mutate('entrance/entrance.finishCompanySignIn', { tenant_id: team.id, query })).status;
    },
  };
};

interface Reading {
  readonly schema: JsonSchema;
  readonly roomOf: () => Room;
  readonly read: (given: object) => Promise<number>;
  readonly valid?: object;
}

const reading = (name: string, { schema, roomOf, read, valid = {} }: Reading): Target => ({
  name,
  schema,
  valid,
  roomOf,
  prepare: (given) => () => read(Object(given)),
});

/** The answers of a company's provider. One after the other, because a team has one provider. */
export const providerAnswers = ({ makeAccount, signIn }: SignIns): Target[] => [
  reading('ID token', {
    schema: andMore(objectWith('sub', 'email', 'name', 'iss', 'aud', 'azp', 'email_verified')),
    roomOf: () => ofToken,
    read: (claims) => signIn({ idToken: { ...makeAccount(), ...claims } }),
  }),
  reading('userinfo', {
    schema: andMore(objectWith('sub', 'email', 'name')),
    roomOf: () => ofProvider,
    read: (claims) => {
      const { sub, ...rest } = makeAccount();
      return signIn({ idToken: { sub }, userinfo: { sub, ...rest, ...claims } });
    },
  }),
  reading('tokens', {
    schema: andMore(objectWith('access_token', 'token_type', 'scope', 'refresh_token', 'id_token')),
    roomOf: () => ofProvider,
    read: (tokens) => signIn({ idToken: makeAccount(), tokens }),
  }),
  reading('refusal of a code', {
    schema: objectWith('WWW-Authenticate', 'Content-Type', 'Date'),
    roomOf: () => ofHeader,
    read: (given) => {
      const headers = Object.entries(given).map(([name, value]): [string, string] => {
        const scheme = name === 'WWW-Authenticate' ? 'Bearer ' : '';
        return [name, scheme + headerText(String(value))];
      });
      return signIn({ idToken: makeAccount(), refusal: Object.fromEntries(headers) });
    },
  }),
  reading('key of a provider', {
    schema: andMore(objectWith('kid', 'kty', 'n', 'e', 'alg', 'use', 'x5c')),
    roomOf: () => ofProvider,
    read: (keys) => signIn({ idToken: makeAccount(), keys }),
  }),
  reading('discovery document', {
    schema: objectOf({
      ...objectWith('issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint').properties,
      response_types_supported: listOf(text),
      more: andMore(objectOf({})),
    }),
    roomOf: () => ofProvider,
    read: (discovery) => signIn({ idToken: makeAccount(), discovery }),
  }),
];

/** The texts among these that have rules of their own; all others are only compared. */
export const singleAnswers: ReadonlySet<string> = new Set([
  'sub',
  'email',
  'name',
  'WWW-Authenticate',
  'authorization_endpoint',
  'deals[].id',
  'deals[].amount',
  'deals[].close_date',
  'deals[].owner_email',
  'deals[].title',
  'objections[].text',
  'next_cursor',
  'items.situation[].key',
  'items.situation[].name.de',
]);

/** A page of a feed as the API reads it, when somebody tries a connection. */
export const useFeedPages = async ({ owner, team }: Callers): Promise<Target> => {
  const feed = await startReceiver();
  afterAll(() => feed.close());
  const ofPage = room(crmLimits.triedPage.bytes);
  return reading('page of a feed', {
    schema: objectOf({
      deals: listOf(objectWith(...Object.keys(SourceDeal.shape))),
      objections: listOf(objectWith(...Object.keys(SourceObjection.shape))),
      next_cursor: text,
    }),
    roomOf: () => ofPage,
    valid: { deals: [], objections: [], next_cursor: null },
    read: async (given) => {
      feed.answerWith(() => page(given));
      const wanted = { provider: 'feed', url: `${feed.url}/deals`, token: 'a token' };
      return (await owner.mutate('app/crm.tryConnection', wanted, { team: team.id })).status;
    },
  });
};

const ofFile = room(limits.bodyBytes);

export const catalogFile: Target = reading('catalog file', {
  schema: objectOf({
    items: objectOf({ situation: listOf(objectOf({ key: text, icon: text, name: objectWith('de', 'en') })) }),
    rules: listOf(objectOf({ situation: text, only: objectOf({ personality: listOf(text) }) })),
  }),
  roomOf: () => ofFile,
  valid: { items: {}, rules: [] },
  read: async (file) => {
    try {
      readDocument(Buffer.from(JSON.stringify(file)));
      return 200;
    } catch (error) {
      return error instanceof Problem ? error.status : Promise.reject(error);
    }
  },
});

/** A receiver of events chooses the headers and the body of its answer. */
export const sweepReceivers = async (judge: Judge, { service }: Callers): Promise<void> => {
  const receiver = await aReceiver();
  const egress = await localEgress(service);
  const bytesOf = (part: string) => Buffer.byteLength(part);
  const post = async (): Promise<number> => {
    const { code, error } = await egress.post({ url: `${receiver.url}/`, headers: {}, body: '{}' });
    return code === null ? Promise.reject(new Error(String(error))) : 200;
  };
  const attempt = async (one: Omit<Try, 'what' | 'send'>) =>
    judge.note(await judge.slowOf([{ what: 'answer of a receiver', ...one, send: post }]));
  for (const pattern of hostilePatterns) {
    const header = headerText(textOfBytes(pattern, headBytes, bytesOf));
    for (const name of ['Content-Type', 'Retry-After', 'Set-Cookie', 'X-Text']) {
      receiver.answerWith(() => ({ status: 503, headers: { [name]: header } }));
      await attempt({ place: name, pattern: pattern.name });
    }
    const body = textOfBytes(pattern, limits.bodyBytes, bytesOf);
    receiver.answerWith(() => ({ status: 503, body }));
    await attempt({ place: 'body', pattern: pattern.name });
  }
};
