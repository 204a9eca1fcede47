import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { bodyOf, signatureOf, makeSecret } from '../../src/deliveries/message.ts';
import {
  WebhookRefused,
  verifyWebhook,
  type SignedRequest,
} from '../../src/server/developers/examples/verify-webhook.mts';
import { anyCharacter } from '../support/any-character.ts';

const now = new Date('2026-11-20T08:30:00.750Z');
const secret = makeSecret();

const anEvent = (data: unknown = { team_id: 'a' }): string =>
  bodyOf({
    tenantId: 'a',
    eventId: '01990c1e-7a00-7000-8000-000000000080',
    type: 'ping',
    createdAt: '2026-11-20T08:30:00.000Z',
    apiVersion: '2026-11',
    data,
  });
const body = anEvent();
const signature = signatureOf(secret, body, now);

/** The reason of the refusal; undefined if the request is accepted. Any other error fails the test. */
const refusalOf = (request: Partial<SignedRequest>): string | undefined => {
  try {
    verifyWebhook({ body, signature, secrets: secret, now, ...request });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookRefused) return error.reason;
    throw error;
  }
};

const flip = (text: string, at: number): string => {
  const bytes = Buffer.from(text, 'latin1');
  const index = Math.floor(at / 8) % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ (1 << (at % 8));
  return bytes.toString('latin1');
};

describe('verifyWebhook', () => {
  it('accepts everything that the service signs, and returns the content', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.date({ min: new Date(0), max: now, noInvalidDate: true }), (data, at) => {
        const sentBody = anEvent(data);
        const own = makeSecret();
        const request = { signature: signatureOf(own, sentBody, at), secrets: own, now: at };
        expect(verifyWebhook({ ...request, body: sentBody })).toEqual(JSON.parse(sentBody));
        expect(verifyWebhook({ ...request, body: Buffer.from(sentBody) })).toEqual(JSON.parse(sentBody));
      }),
    );
  });

  it('refuses a header with any bit flipped, in t, in v1 or between them', () => {
    for (let bit = 0; bit < signature.length * 8; bit += 1) {
      expect(refusalOf({ signature: flip(signature, bit) }), `bit ${bit}`).toBeDefined();
    }
  });

  it('refuses any other header, and never throws another error', () => {
    const field = fc.oneof(
      fc.constantFrom(
        't=',
        't=1',
        't',
        'v1=',
        'v1',
        '=',
        't=1e9',
        't=-1',
        `v1=${'0'.repeat(64)}`,
        `v1=${'é'.repeat(64)}`,
      ),
      fc.string({ unit: anyCharacter }),
    );
    const header = fc.oneof(
      fc.array(field).map((fields) => fields.join(',')),
      fc.array(field),
      fc.constantFrom(null, undefined),
    );
    fc.assert(
      fc.property(header, (garbage) => {
        expect(refusalOf({ signature: garbage })).toBeDefined();
      }),
    );
  });

  // docs/webhook-test-vectors.json has more: test/docs/webhooks.test.ts.
  it.each<[string, SignedRequest['signature'], string]>([
    ['an empty header', '', 'missing'],
    ['an empty list of headers', [], 'missing'],
    ['no signature', signature.replace(/,.*/, ''), 'malformed'],
    ['a time that is no whole number', signature.replace('t=', 't=0x'), 'malformed'],
    ['a signature that goes on', `${signature}0`, 'malformed'],
    ['the header twice', [signature, signature], 'malformed'],
    ['a zero before the time', signature.replace('t=', 't=0'), 'wrong'],
  ])('refuses %s', (_what, header, reason) => expect(refusalOf({ signature: header })).toBe(reason));

  const v1 = signature.replace(/^.*v1=/, '');
  const t = signature.replace(/,.*/, '');
  it.each<[string, SignedRequest['signature']]>([
    ['the header in a list', [signature]],
    ['the signature before the time', `v1=${v1},${t}`],
    ['fields that it does not know', `v0=1,${t},v2=ab,t2=0,v1=${v1},v10=ab,x,`],
  ])('accepts %s', (_what, header) => expect(refusalOf({ signature: header })).toBeUndefined());

  it.each<[number, string | undefined]>([
    [300, undefined],
    [301, 'too_old'],
    [-300, undefined],
    [-301, 'too_new'],
  ])('%d seconds after the signature: %s', (seconds, reason) => {
    const signedAt = Math.floor(now.getTime() / 1000) * 1000;
    // The first and the last moment of that second.
    for (const fraction of [0, 999]) {
      expect(refusalOf({ now: new Date(signedAt + seconds * 1000 + fraction) })).toBe(reason);
    }
  });

  it('uses the present time by default, with the given tolerance', () => {
    const old = signatureOf(secret, body, new Date(Date.now() - 60_000));
    expect(verifyWebhook({ body, signature: old, secrets: secret })).toMatchObject({ type: 'ping' });
    expect(() => verifyWebhook({ body, signature: old, secrets: secret, toleranceSeconds: 30 })).toThrow('too old');
    expect(() => verifyWebhook({ body, signature, secrets: secret, now: new Date(0) })).toThrow('future');
  });

  it('reports a wrong signature before an old one', () => {
    expect(refusalOf({ body: `${body} `, now: new Date(now.getTime() + 400_000) })).toBe('wrong');
  });

  it.each([
    ['a tolerance', { toleranceSeconds: Number.NaN }],
    ['a clock', { now: new Date(Number.NaN) }],
  ])('refuses with %s that is NaN', (_what, request) => expect(refusalOf(request)).toBe('too_old'));

  it.each<[string, string | string[]]>([
    ['an empty secret', ''],
    ['no secret', []],
    ['an empty one among them', [secret, '']],
  ])('throws for %s, which is a fault of the caller and no refusal', (_what, secrets) => {
    const forged = signatureOf('', body, now);
    expect(() => verifyWebhook({ body, signature: forged, secrets, now })).toThrow(TypeError);
  });

  it('is one file that needs only Node', async () => {
    const source = await readFile('src/server/developers/examples/verify-webhook.mts', 'utf8');
    expect([...source.matchAll(/\bfrom '(.+)'|\bimport\(|\brequire\(/g)].map(([, from]) => from)).toEqual([
      'node:crypto',
    ]);
  });
});
