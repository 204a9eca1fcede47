import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commonProblems, problems } from '../../src/core/problem.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { openApiDocument } from '../../src/server/rest/openapi-document.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { baselineFile, documentedUrl } from '../../scripts/openapi/document.ts';
import { breakingChanges, withoutReferences } from '../../scripts/openapi/breaking-changes.ts';
import { isRecord } from '../../src/core/json.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

const run = promisify(execFile);

const Served = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        responses: z.record(z.string(), z.unknown()),
        security: z.array(z.record(z.string(), z.array(z.string()))),
        'x-required-scope': z.string().optional(),
        'x-required-scope-by-parameter': z.record(z.string(), z.record(z.string(), z.string())).optional(),
      }),
    ),
  ),
});

/** Linters report localhost as a placeholder. */
const publicUrl = 'https://training.test';

const service = await useTestService({ publicUrl });
const { text } = await makeClient(service.baseUrl).get('/openapi.v1.json');

describe('openapi.v1.json', () => {
  it('describes every operation with its scope and every problem that it can give', () => {
    const { paths } = Served.parse(withoutReferences(JSON.parse(text)));
    for (const { operation, openapi } of operationsOf(publicRouter)) {
      const described = paths[openapi.path]?.[openapi.method.toLowerCase()];
      expect(described?.security).toEqual([{ apiKey: [] }]);
      expect(described?.['x-required-scope'] ?? null).toBe(operation.scope);
      if (operation.scope !== null)
        expect(described?.responses['403']).toMatchObject({ description: expect.stringContaining(operation.scope) });
      for (const code of [...commonProblems, ...operation.errors]) {
        expect(JSON.stringify(described?.responses[problems[code].status])).toContain(`"${code}"`);
      }
      expect(described?.responses).toHaveProperty(String(operation.status));
    }
  });

  it('says which scope a value of a parameter needs, if it is another one than that of the operation', () => {
    const { paths } = Served.parse(withoutReferences(JSON.parse(text)));
    const byParameter = Object.entries(paths).flatMap(([path, { get }]) => {
      const scopes = get?.['x-required-scope-by-parameter'];
      return scopes ? [[path, scopes]] : [];
    });
    expect(Object.fromEntries(byParameter)).toEqual({
      '/trainings': { include: { evaluation: 'evaluations:read' } },
      '/exports/trainings': { include: { evaluation: 'evaluations:read' } },
      '/deletions': {
        resource: {
          users: 'users:read',
          trainings: 'trainings:read',
          assignments: 'assignments:read',
          cases: 'cases:read',
          deals: 'cases:read',
          objections: 'cases:read',
        },
      },
    });
  });

  it('is small: parts that operations share are in it once', async () => {
    expect((await readFile(baselineFile)).length).toBeLessThan(350_000);
  });

  it('is clean under the strictest of redocly’s recommended rules', async () => {
    const file = join(throwAwayFolder(), 'openapi.v1.json');
    await writeFile(file, text);
    const { stdout } = await run(
      process.execPath,
      [join('node_modules', '.bin', 'redocly'), 'lint', '--extends=recommended-strict', '--format=json', file],
      {
        env: { PATH: '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    expect(z.object({ problems: z.array(z.unknown()) }).parse(JSON.parse(stdout)).problems).toEqual([]);
  });

  it('names the server by its public URL', () => {
    expect(z.object({ servers: z.array(z.object({ url: z.string() })) }).parse(JSON.parse(text)).servers).toEqual([
      { url: `${publicUrl}/api/public/v1` },
    ]);
  });

  it('names operations as generated clients name their methods: a verb and a resource', () => {
    const ids = operationsOf(publicRouter).map(({ openapi }) => openapi.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(
        /^(list|get|create|update|delete|invite|remove|test|retry|check|recover|export)[A-Z][A-Za-z]+$/,
      );
  });

  it('describes every schema and property, and has no pattern that RE2 can’t read', () => {
    const found: string[] = [];
    const { components } = z
      .object({ components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }) })
      .parse(JSON.parse(text));
    const describedWhere = (schema: unknown, path: string): void => {
      if (!isRecord(schema)) return;
      const reference =
        typeof schema['$ref'] === 'string' ? components.schemas[schema['$ref'].split('/').at(-1) ?? ''] : {};
      if (!('description' in schema) && !(reference && 'description' in reference)) found.push(path);
    };
    const look = (value: unknown, path: string): void => {
      if (!isRecord(value)) return;
      if (typeof value['pattern'] === 'string' && value['pattern'].includes('(?')) found.push(`${path}: pattern`);
      const { properties } = value;
      if (isRecord(properties)) {
        for (const [name, property] of Object.entries(properties)) describedWhere(property, `${path}.${name}`);
      }
      for (const [key, inner] of Object.entries(value)) look(inner, `${path}/${key}`);
    };
    for (const [name, schema] of Object.entries(components.schemas)) {
      describedWhere(schema, name);
      look(schema, name);
    }
    expect(found).toEqual([]);
  });

  it('allows new values in answers: their enums are open, those of requests closed', () => {
    const { components, paths } = z
      .object({
        paths: z.unknown(),
        components: z.object({
          schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
          parameters: z.unknown(),
        }),
      })
      .parse(JSON.parse(text));
    const { schemas, parameters } = components;
    const isClosed = (name: string) => schemas[name] !== undefined && 'enum' in schemas[name];
    const isOpen = (name: string) => isClosed(`Known${name}`);
    const namesIn = (value: unknown): string[] =>
      [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
    expect(namesIn([paths, parameters]).filter(isOpen)).toEqual([]);
    for (const [name, schema] of Object.entries(schemas)) {
      if (isClosed(name)) continue;
      expect(JSON.stringify(schema), `${name} names its enums`).not.toContain('"enum"');
      if (isOpen(name)) expect(schema['anyOf']).toEqual([expect.anything(), { type: 'string' }]);
      else expect(namesIn(schema).filter(/^New|Changes$/.test(name) ? isOpen : isClosed), name).toEqual([]);
    }
  });

  it('has only additions since the last accepted description, and those were accepted (npm run openapi)', async () => {
    const accepted: unknown = JSON.parse(await readFile(baselineFile, 'utf8'));
    const present: unknown = JSON.parse(JSON.stringify(openApiDocument(publicRouter, documentedUrl)));
    expect(breakingChanges(accepted, present)).toEqual([]);
    expect(present).toEqual(accepted);
    expect(JSON.parse(text), 'only the address differs').toEqual(
      JSON.parse(JSON.stringify(accepted).replaceAll(documentedUrl, publicUrl)),
    );
  });
});
