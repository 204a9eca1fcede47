import type { AnyRouter } from '@trpc/server';
import type { z } from 'zod';
import { jsonSchemaOf } from '../../../src/core/json-schema.ts';
import { httpLimits, limits } from '../../../src/core/limits.ts';
import { basePath } from '../../../src/core/product.ts';
import { publicRouter } from '../../../src/modules/public-router.ts';
import { operationsOf, proceduresOf, schemasOf } from '../../../src/platform/trpc/procedures.ts';
import { allTools } from '../../../src/server/mcp/protocol.ts';
import { JsonSchema } from '../../conformance/described-api.ts';
import { appIdMakers } from '../../support/id-makers.ts';
import { minOf } from '../../conformance/schema-texts.ts';
import { bodyRoom, headBytes, type Room, type Target } from './inputs.ts';
import { post, type Callers } from './callers.ts';

// Everything that takes an input with a schema: the lists come from the routers and the tools.

const inUrl = (text: string): number => encodeURIComponent(JSON.stringify(text)).length - '%22%22'.length;
const inputRoom: Room = { bytes: headBytes, bytesOf: inUrl };

/** Percent-encoded; a lone surrogate as the bytes that it would have. */
export const encoded = (text: string): string =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : [...text].map((one) => (one.isWellFormed() ? encodeURIComponent(one) : '%ED%A0%80')).join('');

const urlRoom: Room = { bytes: headBytes, bytesOf: (text) => encoded(text).length };

const bodies = {
  entrance: bodyRoom(httpLimits.entranceBodyBytes),
  app: bodyRoom(limits.bodyBytes),
  api: bodyRoom(limits.bodyBytes),
  rest: bodyRoom(limits.bodyBytes),
  tools: bodyRoom(limits.bodyBytes),
};

/** Nobody has read the input of such a request. */
const unread: ReadonlySet<number> = new Set([401, 403, 413, 429, 431]);

const schemaOf = (input: z.ZodObject): JsonSchema => {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(input, 'input');
  return JsonSchema.parse(schema);
};

/** Valid values of fields whose schema does not say enough. */
const knownValues: Readonly<Record<string, unknown>> = {
  email: 'somebody@company.example',
  emails: ['somebody@company.example'],
  domain: 'company.example',
  issuer: 'https://issuer.example',
  url: 'https://hooks.example/training',
};

type ValidFor = (schema: JsonSchema, example?: object) => Promise<Record<string, unknown>>;

/** Valid inputs, with ids of the team's objects. These are made once, because hardly any request here changes them. */
export const validInputs = ({ service, team }: Callers): ValidFor => {
  const makers = appIdMakers(service);
  const made = new Map<string, Promise<unknown>>();
  const idFor = (name: string): Promise<unknown> | undefined => {
    const id = made.get(name) ?? (Object.hasOwn(makers, name) ? makers[name]?.(team) : undefined);
    if (id) made.set(name, id);
    return id;
  };
  return async (schema, example = {}) => {
    const values: Record<string, unknown> = { ...Object(minOf(schema)), ...example };
    for (const name of Object.keys(values)) {
      const known = Object.hasOwn(example, name) ? undefined : knownValues[name];
      values[name] = (await idFor(name)) ?? known ?? values[name];
    }
    return values;
  };
};

interface Mount {
  readonly mount: 'entrance' | 'app' | 'api';
  readonly headers: Readonly<Record<string, string>>;
}

export const proceduresAt = (
  { prepare }: Callers,
  validFor: ValidFor,
  router: AnyRouter,
  { mount, headers }: Mount,
): Promise<Target[]> =>
  Promise.all(
    proceduresOf(router).map(async (named): Promise<Target> => {
      const [name, procedure] = named;
      const schema = schemaOf(schemasOf(named).input);
      const path = `/trpc/${mount}/${name}`;
      const isQuery = procedure._def.type === 'query';
      return {
        name: `${mount} ${name}`,
        schema,
        valid: await validFor(schema),
        // Some procedures of the entrance refuse a visitor after reading.
        ...(mount !== 'entrance' && { unread }),
        roomOf: () => (isQuery ? inputRoom : bodies[mount]),
        prepare: (input) =>
          prepare(
            isQuery
              ? { method: 'GET', path: `${path}?input=${encodeURIComponent(JSON.stringify(input))}`, headers }
              : post(path, Object(input), headers),
          ),
      };
    }),
  );

export const restOperations = ({ prepare, withKey }: Callers, validFor: ValidFor): Promise<Target[]> =>
  Promise.all(
    operationsOf(publicRouter).map(async ({ input, openapi, operation }): Promise<Target> => {
      const { method } = openapi;
      const schema = schemaOf(input);
      const hasBody = method === 'POST' || method === 'PATCH';
      const inPath = new Set(openapi.path.match(/(?<=\{)\w+(?=\})/g));
      const written = (value: unknown) => encoded(typeof value === 'string' ? value : JSON.stringify(value));
      return {
        name: `REST ${operation.route}`,
        schema,
        valid: await validFor(schema, operation.example.input),
        unread,
        roomOf: (place) => (hasBody && !inPath.has(place) ? bodies.rest : urlRoom),
        prepare(given) {
          let path: string = basePath + openapi.path;
          const others: [string, unknown][] = [];
          for (const [name, value] of Object.entries(Object(given))) {
            if (inPath.has(name)) path = path.replace(`{${name}}`, () => written(value));
            else others.push([name, value]);
          }
          if (hasBody) return prepare({ ...post(path, Object.fromEntries(others), withKey), method });
          const query = others.map(([name, value]) => `${name}=${written(value)}`).join('&');
          return prepare({ method, path: `${path}?${query}`, headers: withKey });
        },
      };
    }),
  );

export const tools = ({ prepare, withKey }: Callers, validFor: ValidFor): Promise<Target[]> =>
  Promise.all(
    allTools.map(async ({ name, inputSchema }): Promise<Target> => {
      const schema = JsonSchema.parse(inputSchema);
      const headers = { ...withKey, Accept: 'application/json, text/event-stream' };
      return {
        name: `tool ${name}`,
        schema,
        valid: await validFor(schema),
        unread,
        roomOf: () => bodies.tools,
        prepare: (given) =>
          prepare(
            post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }, headers),
          ),
      };
    }),
  );

const text: JsonSchema = { type: 'string' };

export const objectWith = (...names: string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});

/** What assistants send to get tokens. */
export const oauthRequests = ({ prepare }: Callers): Target[] => {
  const inForm = (part: string) => String(new URLSearchParams({ part })).length - 'part='.length;
  const formRoom: Room = { ...bodies.entrance, bytesOf: inForm };
  const form = (path: string, schema: JsonSchema, valid: object): Target => ({
    name: `OAuth ${path}`,
    schema,
    valid,
    roomOf: () => formRoom,
    prepare: (input) =>
      prepare({
        method: 'POST',
        path,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams(Object(input))),
      }),
  });
  const grant = ['client_id', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'resource', 'grant_type'];
  return [
    {
      name: 'OAuth /oauth/register',
      schema: {
        type: 'object',
        properties: { client_name: text, redirect_uris: { type: 'array', items: text } },
        additionalProperties: true,
      },
      valid: { client_name: 'An assistant', redirect_uris: ['https://assistant.example/callback'] },
      roomOf: () => bodies.entrance,
      prepare: (input) => prepare(post('/oauth/register', Object(input))),
    },
    form('/oauth/token', objectWith(...grant), { grant_type: 'authorization_code' }),
    form('/oauth/token', objectWith(...grant), { grant_type: 'refresh_token' }),
    form('/oauth/revoke', objectWith('token'), {}),
  ];
};
