import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentTypes } from '../../../src/core/events.ts';
import { headersOf, makeSecret, signatureOf } from '../../../src/deliveries/message.ts';
import { exampleBodyOf } from '../../../src/modules/events/payloads.ts';
import type { WebhookRequest } from '../../../src/packages/client/webhooks.ts';
import { verifyWebhook as verifyByCopy } from '../../../src/server/developers/examples/verify-webhook.mts';
import { readVectors } from '../../docs/webhook-guide.ts';
import { anyCharacter } from '../../support/any-character.ts';
import type { Kit } from '../scripted.ts';

const vectors = await readVectors();

/** The names of the reasons in the test vectors. */
const reasons = {
  missing: ['missing_header'],
  malformed: ['malformed_header'],
  wrong: ['wrong_secret', 'body_changed'],
  too_old: ['timestamp_too_old'],
  too_new: ['timestamp_in_future'],
} as const;

/** A genuine request. */
export const aSigned = () => {
  const body = exampleBodyOf('crm.sync.failed').replace('"reason":"', '"reason":"Müller & Söhne „1/2“ ');
  const secret = makeSecret();
  const eventId: string = JSON.parse(body).id;
  return { body, secret, eventId, headers: headersOf({ secret, eventId, body, at: new Date() }) };
};

/** Why a request with these changes is refused. Programs may pass any value. */
export const refusalOf =
  ({ verifyWebhook }: Pick<Kit, 'verifyWebhook'>, { body, secret, headers }: ReturnType<typeof aSigned>) =>
  async (changes: { [K in keyof WebhookRequest]?: unknown }): Promise<string> => {
    const request: WebhookRequest = Object.assign(Object({ body, headers, secret }), changes);
    const error: unknown = await verifyWebhook(request).then(
      () => expect.unreachable('it was accepted'),
      (error: unknown) => error,
    );
    const { reason, message } = Object(error);
    return `${String(reason)}: ${String(message)}`;
  };

/** Which webhooks a client accepts, and how it names what is wrong with the others. */
export const webhookCases = (kit: Kit): void => {
  const { verifyWebhook } = kit;
  const signed = aSigned();
  const { body, secret, eventId, headers } = signed;
  const refusal = refusalOf(kit, signed);

  describe('the test vectors', () => {
    it.each(vectors)('$name', async ({ body, signature, secrets, now, reason, standard_webhooks: standard }) => {
      const verify = (headers: Record<string, string>) =>
        verifyWebhook({ secret: secrets, body, headers, now: new Date(now * 1000) });
      const headers: Record<string, string> = signature === null ? {} : { 'svc-signature': signature };
      if (reason === null) {
        expect(await verify(headers)).toEqual(JSON.parse(body));
        if (standard) expect(await verify(standard)).toEqual(JSON.parse(body));
      } else {
        await expect(verify(headers)).rejects.toMatchObject({ reason: expect.toBeOneOf([...reasons[reason]]) });
      }
    });
  });

  describe('a genuine request', () => {
    it.each(sentTypes)('%s is returned, with either form alone', async (type) => {
      const body = exampleBodyOf(type);
      const at = new Date();
      const all = headersOf({ secret, eventId, body, at });
      const contract = { 'svc-signature': all['Svc-Signature'] ?? '' };
      const standard = Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('webhook-')));
      for (const headers of [all, contract, standard]) {
        expect(await verifyWebhook({ body, headers, secret })).toEqual(JSON.parse(body));
      }
    });

    it('may be text, bytes or a buffer, with headers in each usual form', async () => {
      const bytes = new TextEncoder().encode(body);
      const bodies = [body, bytes, Buffer.from(body), bytes.buffer];
      const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
      for (const one of bodies)
        expect(await verifyWebhook({ body: one, headers, secret })).toHaveProperty('id', eventId);
      for (const one of [new Headers(headers), lists]) {
        expect(await verifyWebhook({ body, headers: one, secret })).toHaveProperty('id', eventId);
      }
    });

    it('matches one of several secrets', async () => {
      const former = makeSecret();
      const signed = { 'Svc-Signature': signatureOf(former, body, new Date()) };
      expect(await verifyWebhook({ body, headers: signed, secret: [secret, former] })).toHaveProperty('id', eventId);
    });
  });

  describe('a refused request reports the cause', () => {
    it('with the headers', async () => {
      expect(await refusal({ headers: { 'content-type': 'application/json' } })).toMatch(/^missing_header/);
      expect(await refusal({ headers: { 'Svc-Signature': 'garbage' } })).toMatch(/^malformed_header: Svc-Signature/);
      const half = { 'webhook-signature': headers['webhook-signature'] };
      expect(await refusal({ headers: half })).toMatch(/^malformed_header: webhook-signature/);
      const neither = { ...half, 'svc-signature': 'garbage' };
      expect(await refusal({ headers: neither })).toMatch(/^malformed_header: webhook-signature.* Svc-Signature/);
      expect(await refusal({ headers: { 'svc-signature': 1 } })).toMatch(/^missing_header/);
    });

    it('with headers that are only nearly in a form', async () => {
      const [t = '', v1 = ''] = (headers['Svc-Signature'] ?? '').split(',');
      const nearly = [
        `x${t},${v1}`,
        `t=x${t.slice(2)},${v1}`,
        `${t}x,${v1}`,
        `${t}000,${v1}`,
        `t=,${v1}`,
        `${t},${t},${v1}`,
      ];
      for (const header of [...nearly, t, `${t},${v1}0`, `${t},x${v1}`, `${t},${v1.slice(0, -1)}`]) {
        expect(await refusal({ headers: { 'svc-signature': header } }), header).toMatch(/^malformed_header/);
      }
      const { 'webhook-id': id, 'webhook-timestamp': time = '', 'webhook-signature': signature = '' } = headers;
      for (const changed of [
        { 'webhook-id': '' },
        ...['', 'x', `x${time}`, `${time}x`, `${time}000`].map((one) => ({ 'webhook-timestamp': one })),
        ...[`x${signature}`, `${signature}x`, signature.slice(0, -1)].map((one) => ({ 'webhook-signature': one })),
      ]) {
        const given = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature, ...changed };
        expect(await refusal({ headers: given }), JSON.stringify(changed)).toMatch(
          /^malformed_header: webhook-signature/,
        );
      }
    });

    it('and looks at no more than ten signatures of a form', async () => {
      const [t = '', v1 = ''] = (headers['Svc-Signature'] ?? '').split(',');
      const standard = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));
      const forms = (wrong: number): Record<string, string>[] => [
        { 'Svc-Signature': [t, ...Array<string>(wrong).fill(`v1=${'0'.repeat(64)}`), v1].join(',') },
        {
          ...standard,
          'webhook-signature': [
            ...Array<string>(wrong).fill(`v1,${'A'.repeat(43)}=`),
            standard['webhook-signature'],
          ].join(' '),
        },
      ];
      for (const given of forms(9)) expect(await verifyWebhook({ body, headers: given, secret })).toHaveProperty('id');
      for (const given of forms(10)) expect(await refusal({ headers: given })).toMatch(/^wrong_secret/);
    });

    it('with the body, if it is signed but no JSON', async () => {
      const signed = headersOf({ secret, eventId, body: 'no JSON', at: new Date() });
      expect(await refusal({ body: 'no JSON', headers: signed })).toMatch(/^body_changed: The signature matches/);
    });

    it('with the time, if the signature fits', async () => {
      const [, signedAt] = /t=(\d+)/.exec(headers['Svc-Signature'] ?? '') ?? [];
      const after = (seconds: number) => new Date((Number(signedAt) + seconds) * 1000);
      expect(await refusal({ now: after(400), secret: makeSecret() })).toMatch(/^wrong_secret/);
      expect(await verifyWebhook({ body, headers, secret, now: after(400), toleranceSeconds: 500 })).toBeDefined();
      for (const now of [after(300), after(-300)])
        expect(await verifyWebhook({ body, headers, secret, now })).toBeDefined();
      expect(await refusal({ now: after(301) })).toMatch(/^timestamp_too_old: The signature is 301 seconds old/);
      expect(await refusal({ now: after(-301) })).toMatch(/^timestamp_in_future: The signature is 301 seconds from/);
      // By the client's own clock.
      const signed = (seconds: number) =>
        headersOf({ secret, eventId, body, at: new Date(Date.now() + seconds * 1000) });
      expect(await refusal({ headers: signed(-400) })).toMatch(/^timestamp_too_old/);
      expect(await refusal({ headers: signed(400) })).toMatch(/^timestamp_in_future/);
    });

    it.each([
      ['parsed by a framework', JSON.parse(body), 'not what a parser made of it'],
      [
        'parsed and written with spaces',
        JSON.stringify(JSON.parse(body), null, 2),
        'was parsed and written as JSON again',
      ],
      [
        'parsed and written by Python',
        body
          .replaceAll(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .replaceAll('":', '": '),
        'was parsed and written as JSON again',
      ],
      ['parsed and written by PHP', body.replaceAll('/', '\\/'), 'was parsed and written as JSON again'],
      [
        'parsed and written in alphabetical order',
        JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).toSorted(([a], [b]) => a.localeCompare(b)))),
        'in another order',
      ],
      ['with a line break at its end', `${body}\n`, 'has white space'],
      ['with a byte order mark', `\u{FEFF}${body}`, 'has white space'],
      ['decoded as Latin-1', Buffer.from(body).toString('latin1'), 'Latin-1'],
      ['read before', '', 'is empty'],
      ['cut off', body.slice(0, 100), 'is not JSON'],
      ['written as a form', new URLSearchParams({ body }).toString(), 'is not JSON'],
    ])('with a body that was %s', async (_what, changed: unknown, expected) => {
      const said = await refusal({ body: changed });
      expect(said).toMatch(/^body_changed/);
      expect(said).toContain(expected);
    });

    it('with the secret', async () => {
      for (const one of [null, '', [], [secret, '']]) expect(await refusal({ secret: one })).toMatch(/is missing/);
      for (const one of [`${secret}\n`, `"${secret}"`, ` '${secret}'`, secret.slice(6), [makeSecret(), ` ${secret}`]]) {
        expect(await refusal({ secret: one })).toMatch(/^malformed_secret: The secret has spaces/);
      }
      for (const one of ['abc', 'xwhsec_abcd', `"${makeSecret()}"`, [makeSecret(), 'abc']]) {
        expect(await refusal({ secret: one })).toMatch(/^malformed_secret: A secret has the form/);
      }
      for (const one of [makeSecret(), 'whsec_abcde', 'whsec_abcd-', [makeSecret(), makeSecret()]]) {
        expect(await refusal({ secret: one })).toMatch(/^wrong_secret/);
      }
      expect(await refusal({ body: body.replace('hubspot', 'Hubspot') })).toMatch(/^wrong_secret/);
    });

    it('and ignores bodies larger than any event', async () => {
      const padded = (length: number) => body + ' '.repeat(length - Buffer.byteLength(body));
      expect(await refusal({ body: padded(65_536) })).toMatch(/^body_changed/);
      expect(await refusal({ body: padded(65_537) })).toMatch(/^wrong_secret/);
    });
  });

  describe('the file that customers may copy instead', () => {
    const header = headers['Svc-Signature'] ?? '';
    const flipped = (text: string, bit: number): string => {
      const bytes = Buffer.from(text);
      const index = Math.floor(bit / 8) % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ (1 << (bit % 8));
      return bytes.toString();
    };
    const copyAccepts = (body: string, signature: string, secret: string): boolean => {
      try {
        return verifyByCopy({ body, signature, secrets: secret }).id === eventId;
      } catch {
        return false;
      }
    };
    const accepts = (body: string, signature: string, secret: string): Promise<boolean> =>
      verifyWebhook({ body, headers: { 'svc-signature': signature }, secret }).then(
        ({ id }) => id === eventId,
        () => false,
      );

    it('accepts and refuses the same requests, whatever bit is flipped', async () => {
      expect(await accepts(body, header, secret)).toBe(true);
      const bit = fc.nat({ max: 100_000 });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom('body', 'signature', 'secret', 'none'), bit, async (part, bit) => {
          const given: [string, string, string] = [
            part === 'body' ? flipped(body, bit) : body,
            part === 'signature' ? flipped(header, bit) : header,
            part === 'secret' ? flipped(secret, bit) : secret,
          ];
          expect(await accepts(...given)).toBe(copyAccepts(...given));
        }),
      );
    });

    it('accepts and refuses the same headers, for any headers', async () => {
      const [t = '', v1 = ''] = header.split(',');
      const field = fc.oneof(
        fc.constantFrom(t, v1, 't=1', 'v1=', `v1=${'0'.repeat(64)}`, `V${v1.slice(1)}`, 'v0=1', ''),
        fc.string({ unit: anyCharacter }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(field, { maxLength: 6 }), async (fields) => {
          const given = fields.join(',');
          expect(await accepts(body, given, secret)).toBe(copyAccepts(body, given, secret));
        }),
        { numRuns: 100 },
      );
    });
  });
};
