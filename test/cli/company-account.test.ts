import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs } from '../../src/core/clock.ts';
import { providerOf } from '../../src/modules/company-sign-in/service.ts';
import { certificates } from '../support/certificates.ts';
import { localFeeds } from '../support/receiver.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { testSecret, useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { makeCli } from './cli.ts';

const environment = localFeeds((await certificates()).caFile());
const service = await useTestService({ environment });
const folder = throwAwayFolder();
const cli = makeCli({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: folder,
  APP_SECRET: testSecret,
  ...environment,
});
const provider = await startIdentityProvider();
afterAll(() => provider.close());
const secretFile = join(folder, 'secret');
writeFileSync(secretFile, `${provider.client.client_secret}\n`);

const State = z.strictObject({
  provider: z
    .strictObject({
      enabled: z.boolean(),
      issuer: z.string(),
      client_id: z.string(),
      role: z.string(),
      tested_at: z.null(),
    })
    .nullable(),
  domains: z.array(z.strictObject({ domain: z.string(), proven: z.boolean(), record: z.string() })),
  record_value: z.string(),
  redirect_uri: z.url(),
  demand: z.enum(['none', 'second_factor', 'company']),
  planned: z.strictObject({ demand: z.string(), from: z.iso.datetime() }).nullable(),
  readiness: z.strictObject({ members: z.int(), second_factor: z.int(), company: z.int() }),
});

it('team sso sets the company account of a team up, demands it, and removes it', async () => {
  const { id } = await aTeam(service);
  const sso = (...flags: string[]) => cli.json(State, ['team', 'sso', '--team', id, ...flags]);
  expect(await sso()).toMatchObject({
    provider: null,
    demand: 'none',
    redirect_uri: expect.stringMatching(new RegExp(`/sign-in/company/return/${id}$`)),
  });
  const given = ['--issuer', provider.issuer, '--client-id', provider.client.client_id, '--secret-file', secretFile];
  expect(await sso(...given, '--domain', 'Acme.example')).toMatchObject({
    provider: { enabled: true, issuer: provider.issuer, role: 'member' },
    domains: [{ domain: 'acme.example', proven: true }],
  });
  expect(await providerOf(service.platform, id)).toMatchObject({ clientSecret: provider.client.client_secret });
  expect(await sso('--role', 'admin')).toMatchObject({ provider: { role: 'admin' } });

  const refused = await cli.failure(['team', 'sso', '--team', id, '--demand', 'company']);
  expect(refused).toMatchObject({ exitCode: 1, code: 'validation_error' });
  for (const days of ['7', '14']) {
    const { planned, ...state } = await sso('--demand', 'second_factor', '--in-days', days);
    expect(state).toMatchObject({ demand: 'none', readiness: { members: 1, second_factor: 0 } });
    expect(planned?.demand).toBe('second_factor');
    const inMs = Date.parse(planned?.from ?? '') - service.clock.now().getTime();
    expect(Math.round(inMs / daysToMs(1))).toBe(Number(days));
  }
  expect(await sso('--demand', 'company', '--untried')).toMatchObject({ demand: 'company' });
  const kept = await cli.failure(['team', 'sso', '--team', id, '--remove']);
  expect(kept).toMatchObject({ code: 'conflict' });
  expect(await sso('--demand', 'none', '--enabled', 'off')).toMatchObject({ provider: { enabled: false } });
  expect(await sso('--remove')).toMatchObject({ provider: null, domains: [] });
});

it.each([
  [
    'names the setting that can allow its address',
    'https://10.0.0.7',
    /not public. The setting WEBHOOK_ALLOW_TARGETS can allow it/,
  ],
  ['says what is wrong with it', `${provider.issuer}/x`, /No OpenID configuration found at .* \(status 404\)/],
])('team sso refuses a provider and %s', async (_what, issuer, reason) => {
  const { id } = await aTeam(service);
  const given = ['--issuer', issuer, '--client-id', 'c', '--secret-file', secretFile];
  const { code, message } = await cli.failure(['team', 'sso', '--team', id, ...given]);
  expect([code, message]).toEqual(['validation_error', expect.stringMatching(reason)]);
});
