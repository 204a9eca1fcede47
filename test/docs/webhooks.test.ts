import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { eventTypes } from '../../src/core/events.ts';
import { webhookLimits } from '../../src/core/limits.ts';
import { headersOf, signatureOf } from '../../src/webhooks/message.ts';
import { bodySchemaOf, dataOf, exampleBodyOf, sentTypes, triggers } from '../../src/modules/webhooks/events.ts';
import { WebhookRefused, verifyWebhook } from '../../src/receivers/verify-webhook.ts';
import { expectDescribedEvent } from '../support/document.ts';
import { fieldsOf } from '../support/schema-fields.ts';
import { blocks, readVectors, section } from './webhook-guide.ts';

const vectors = await readVectors();

/** The rows of a table, however wide its columns are; the header and its line are none. */
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/^\|.*\|$/gm)].map(([row]) => row.replaceAll(/ +\|/g, ' |')).slice(2);

const rowsFor = (schema: z.ZodObject): string[] =>
  fieldsOf(schema).map(({ name, type, description }) => `| \`${name}\` | ${type} | ${description} |`);

describe('docs/webhooks.md', () => {
  it('has the envelope as it is, with an event as it is sent', async () => {
    const envelope = rowsFor(bodySchemaOf('ping')).map((row) => row.replace('| `ping` |', '| string |'));
    expect(rowsOf(await section('Events'))).toEqual(envelope);
    const [example = ''] = await blocks('Events', 'json');
    expect(JSON.parse(example)).toEqual(JSON.parse(exampleBodyOf('evaluation.completed')));
  });

  it.each(sentTypes)('%s: says when it is told, and has a row for each field as the schema says it', async (type) => {
    const text = await section(type);
    expect(text.trim()).toMatch(new RegExp(`^Sent when ${triggers[type]}\\.`));
    expect(rowsOf(text)).toEqual(rowsFor(dataOf(type)));
  });

  it('tells of every event type, of no other, and in that order', async () => {
    const guide = await readFile('docs/webhooks.md', 'utf8');
    const told = [...guide.matchAll(/^### ([a-z.]+)$/gm)].map(([, type]) => type);
    expect(told).toEqual([...Object.keys(eventTypes), 'ping']);
  });

  it('says the limits as they are', async () => {
    const inWords = (seconds: number) => (seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`);
    const waits = webhookLimits.retrySeconds.map(inWords);
    expect(await section('When you do not answer')).toContain(
      `sent again after ${waits.slice(0, -1).join(', ')} and ${waits.at(-1)},`,
    );
    expect(await section('Answering')).toContain(`2xx within ${webhookLimits.timeoutSeconds} seconds`);
    expect(await section('Answering')).toContain(`first ${webhookLimits.excerptCharacters} characters`);
    expect(await section('Checking the signature')).toContain(`at most ${webhookLimits.signatureAgeSeconds} seconds`);
  });

  it('has the verifiers and the Express receiver as they are tested', async () => {
    const [library] = await blocks('A library', 'ts');
    expect(library).toBe(await readFile('test/webhooks/library-receiver.ts', 'utf8'));
    const [verifier, express] = await blocks('TypeScript', 'ts');
    expect(verifier).toBe(await readFile('src/receivers/verify-webhook.ts', 'utf8'));
    const tested = await readFile('test/webhooks/express-receiver.ts', 'utf8');
    expect(express).toBe(tested.replaceAll('../../src/receivers/', './'));
  });
});

describe('docs/webhook-test-vectors.json', () => {
  it('has every reason there is to refuse, and enough to accept', () => {
    const reasons = new Set(vectors.map(({ reason }) => reason));
    expect([...reasons]).toEqual([null, 'missing', 'malformed', 'too_old', 'too_new', 'wrong']);
    for (const { name, accepted, reason } of vectors) expect(reason === null, name).toBe(accepted);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(vectors.some(({ accepted, body }) => accepted && /[^\0-\u{FFFF}]/u.test(body))).toBe(true);
  });

  it.each(vectors)('$name: as the service signs it, and as the verifier takes it', (vector) => {
    const { body, signature, secrets, now, accepted, reason, standard_webhooks: standard } = vector;
    const event: { type: string } = JSON.parse(body);
    expectDescribedEvent(event.type, event);
    const verify = () => verifyWebhook({ body, signature, secrets, now: new Date(now * 1000) });
    if (!accepted) {
      expect(verify).toThrow(expect.objectContaining({ reason }));
      expect(verify).toThrow(WebhookRefused);
      return;
    }
    expect(verify()).toEqual(event);
    const signedAt = new Date(Number(signature?.slice(2, 12)) * 1000);
    const own = secrets.map((key) => signatureOf(key, body, signedAt).replace(/^.*v1=/, 'v1='));
    expect(signature?.split(',')).toEqual(expect.arrayContaining([expect.toBeOneOf(own)]));
    if (standard) {
      const [secret = ''] = secrets;
      expect(headersOf({ secret, eventId: standard['webhook-id'] ?? '', body, at: signedAt })).toMatchObject(standard);
    }
  });
});
