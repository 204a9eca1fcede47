import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { writeSettings } from '../../scripts/kit/installation.ts';
import type { Field } from '../../scripts/try/overload.ts';
import { requireProgram } from '../../scripts/kit/system.ts';
import { hasProxy } from '../proxy/proxies.ts';
import { expectOthersServed, openField } from './others-served.ts';

// `npm run try -- overload` in small, on the installation that docs/operations.md describes.

const what = 'the test of an installation by the shipped files';
const isThere = await hasProxy('nginx', what);
const noPostgres = await requireProgram('/usr/lib/postgresql/*/bin/initdb', 'postgresql').then(() => undefined, String);
if (noPostgres !== undefined) process.stdout.write(`${noPostgres}: ${what} is SKIPPED.\n`);

describe.skipIf(!isThere || noPostgres !== undefined)('an installation by the shipped files, behind nginx', () => {
  const opened = new AsyncDisposableStack();
  let field: Field;

  // The users of the database by the guide's commands, and the units of migrations and processes.
  beforeAll(async () => {
    field = await openField(opened);
  });
  afterAll(() => opened.disposeAsync());

  it('answers other teams, and sends their events, while a receiver, a provider and a CRM of one team hang', async () => {
    await expectOthersServed(field);
  });

  it('encrypts everything with another APP_SECRET by the command of the guide', async () => {
    const { cli, environment, folder } = field.installation;
    const file = join(folder, 'next-secret.env');
    const next = 'the secret that is in use from now on';
    await writeSettings(file, { ...environment, APP_SECRET: `${next},${environment['APP_SECRET']}` });
    const rotation = z
      .object({ resealed: z.int(), left: z.int(), lost: z.int() })
      .parse(await cli(['secrets', 'rotate'], file));
    expect(rotation).toMatchObject({ left: 0, lost: 0 });
    // The secrets of two endpoints of each team, and the provider's.
    expect(rotation.resealed).toBeGreaterThan(40);
  });
});
