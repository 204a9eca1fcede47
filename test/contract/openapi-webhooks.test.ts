import openapiTS, { astToString } from 'openapi-typescript';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { breakingChanges, withoutReferences } from '../../scripts/openapi/breaking-changes.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { headersOf, makeSecret, publicEventId } from '../../src/deliveries/message.ts';
import { exampleBodyOf } from '../../src/modules/events/payloads.ts';
import { allEventTypes, sentTypes } from '../../src/core/events.ts';
import { openApiDocument } from '../../src/server/rest/openapi-document.ts';
import { expectDescribedEvent } from '../support/document.ts';

const text = JSON.stringify(openApiDocument(publicRouter, 'http://localhost:3000'));

const Ref = z.object({ $ref: z.string() });
const Header = z.object({
  name: z.string(),
  in: z.literal('header'),
  required: z.boolean(),
  schema: z.object({ pattern: z.string() }),
  example: z.string().optional(),
});
const Described = z.object({
  webhooks: z.record(
    z.string(),
    z.object({
      post: z.object({
        description: z.string().min(1),
        parameters: z.array(z.union([Ref, z.object({ name: z.string(), required: z.literal(false) })])),
        requestBody: z.object({
          required: z.boolean(),
          content: z.strictObject({
            'application/json': z.object({
              schema: Ref,
              examples: z.object({ example: z.object({ value: z.unknown() }) }),
            }),
          }),
        }),
        responses: z.strictObject({ '2XX': Ref, default: Ref }),
      }),
    }),
  ),
  components: z.object({
    parameters: z.record(z.string(), z.unknown()),
    schemas: z.record(
      z.string(),
      z.object({ properties: z.record(z.string(), z.unknown()).optional(), required: z.array(z.string()).optional() }),
    ),
  }),
});
const { webhooks, components } = Described.parse(JSON.parse(text));

const Consequence = z.object({ description: z.string() });
const resolved = z
  .object({
    webhooks: z.record(
      z.string(),
      z.object({ post: z.object({ responses: z.object({ '2XX': Consequence, default: Consequence }) }) }),
    ),
  })
  .parse(withoutReferences(JSON.parse(text)));

const webhookOf = (type: string) => (webhooks[type] ?? expect.unreachable(`${type} is missing`)).post;
const contentOf = (type: string) => webhookOf(type).requestBody.content['application/json'];

describe('webhooks of openapi.v1.json', () => {
  it('are all events that an endpoint can subscribe to, and the ping', () => {
    expect(Object.keys(webhooks)).toEqual([...allEventTypes, 'ping']);
  });

  it.each(sentTypes)('%s: has an example that equals a real body, and matches only its own description', (type) => {
    const { value } = contentOf(type).examples.example;
    expect(value).toEqual(JSON.parse(exampleBodyOf(type)));
    expectDescribedEvent(type, value);
    for (const other of sentTypes.filter((one) => one !== type)) {
      expect(() => expectDescribedEvent(other, value)).toThrow('must be equal to constant');
    }
  });

  it.each(sentTypes)('%s: allows additional fields and requires all present ones', (type) => {
    const body: Record<string, unknown> = JSON.parse(exampleBodyOf(type));
    expectDescribedEvent(type, { ...body, new: 1, data: Object.assign({}, body['data'], { new: 1 }) });
    for (const name of Object.keys(body)) {
      expect(() => expectDescribedEvent(type, { ...body, [name]: undefined })).toThrow(`required property '${name}'`);
    }
    expect(() => expectDescribedEvent(type, { ...body, data: {} })).toThrow("required property 'team_id'");
  });

  it.each(sentTypes)('%s: names the headers of real requests', (type) => {
    const refs = webhookOf(type).parameters.flatMap((parameter) => ('$ref' in parameter ? [parameter.$ref] : []));
    const headers = refs.map((ref) => Header.parse(components.parameters[ref.replace('#/components/parameters/', '')]));
    const eventId = publicEventId('01990c1e-7a00-7000-8000-000000000080');
    // The media type belongs to the body's description.
    const { 'Content-Type': _, ...sent } = headersOf({ secret: makeSecret(), eventId, body: 'body', at: new Date() });
    expect(headers.map(({ name }) => name).sort()).toEqual(Object.keys(sent).sort());
    for (const { name, schema, example = sent[name] } of headers) {
      expect(sent[name]).toMatch(new RegExp(schema.pattern));
      expect(example).toMatch(new RegExp(schema.pattern));
    }
  });

  it.each(sentTypes)('%s: describes success, failure, and the consequences', (type) => {
    const { responses } = resolved.webhooks[type]?.post ?? expect.unreachable();
    expect(responses['2XX'].description).toContain('the event has arrived and is not sent again');
    expect(responses.default.description).toContain(
      'within 10 seconds: sent again after 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h',
    );
  });

  it('give each event its own type in a client generator', async () => {
    const types = astToString(await openapiTS(text));
    for (const type of sentTypes)
      expect(types).toMatch(new RegExp(`^ {4}"?${type.replaceAll('.', '\\.')}"?: \\{$`, 'm'));
    expect(types).toMatch(/EvaluationCompletedEvent: \{[^}]*type: "evaluation\.completed";/);
  });

  it('allow only additions, like every answer', () => {
    const change = (edit: (schema: NonNullable<(typeof components.schemas)[string]>) => void): string[] => {
      const next = structuredClone({ webhooks, components });
      edit(next.components.schemas['EvaluationCompletedEvent'] ?? expect.unreachable());
      return breakingChanges({ webhooks, components }, next);
    };
    expect(
      change(({ properties, required }) => {
        Object.assign(properties ?? {}, { more: { type: 'string' } });
        required?.push('more');
      }),
    ).toEqual([]);
    expect(change(({ required }) => required?.pop())).toHaveLength(1);
    expect(change(({ properties = {} }) => Reflect.deleteProperty(properties, 'created_at'))).toHaveLength(1);
    const { ping: _, ...fewer } = webhooks;
    expect(breakingChanges({ webhooks }, { webhooks: fewer })).toEqual(['webhooks: ping is gone']);
  });
});
