import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commonProblems, problems } from '../../src/core/problem.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/trpc/operation.ts';
import { baselineFile } from '../../scripts/openapi/baseline.ts';
import { breakingChanges, withoutReferences } from '../../scripts/openapi/breaking-changes.ts';
import { makeClient } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

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
      }),
    ),
  ),
});

describe('openapi.v1.json', () => {
  let service: TestService;
  let text: string;
  beforeAll(async () => {
    service = await startTestService();
    text = (await makeClient(service.baseUrl).get('/openapi.v1.json')).text;
  });
  afterAll(() => service.close());

  it('is served without a key, with an ETag that saves the second download', async () => {
    const client = makeClient(service.baseUrl);
    const first = await client.get('/openapi.v1.json');
    expect(first.status).toBe(200);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const second = await client.get('/openapi.v1.json', { headers: { 'If-None-Match': etag } });
    expect([second.status, second.text]).toEqual([304, '']);
  });

  it('describes every operation with its scope and every problem that it can give', () => {
    const { paths } = Served.parse(withoutReferences(JSON.parse(text)));
    for (const { operation, openapi } of operationsOf(publicRouter)) {
      const described = paths[openapi.path]?.[openapi.method.toLowerCase()];
      expect(described?.security).toEqual([{ apiKey: operation.scope === null ? [] : [operation.scope] }]);
      for (const code of [...commonProblems, ...operation.errors]) {
        expect(JSON.stringify(described?.responses[problems[code].status])).toContain(`"${code}"`);
      }
      expect(described?.responses).toHaveProperty(String(operation.status));
    }
  });

  it('is small enough to read: what operations share stands once', async () => {
    expect((await readFile(baselineFile)).length).toBeLessThan(250_000);
  });

  it('is clean under the recommended rules, without a warning', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
    const file = join(folder, 'openapi.v1.json');
    try {
      await writeFile(file, text);
      const { stdout } = await run(
        process.execPath,
        [join('node_modules', '.bin', 'redocly'), 'lint', '--extends=recommended', '--format=json', file],
        {
          env: { PATH: '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
      );
      expect(z.object({ problems: z.array(z.unknown()) }).parse(JSON.parse(stdout)).problems).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('can be typed by a client generator', async () => {
    expect(await openapiTS(text)).not.toHaveLength(0);
  });

  it('changed only by additions since the last accepted description, and those were accepted (npm run openapi)', async () => {
    const accepted: unknown = JSON.parse(await readFile(baselineFile, 'utf8'));
    const served: unknown = JSON.parse(text);
    expect(breakingChanges(accepted, served)).toEqual([]);
    expect(served).toEqual(accepted);
  });
});
