// node sandbox-host.ts <options>: a sandbox on a given server. It prints the data that a test needs, and ends when its standard input
// closes.

import process from 'node:process';
import pino from 'pino';
import { z } from 'zod';
import { openControl } from '../../src/packages/sandbox/control.ts';
import { startSandbox } from '../../src/packages/sandbox/sandbox.ts';
import { Seed } from '../../src/packages/sandbox/seed.ts';

export const Ready = z.object({
  base_url: z.string(),
  app_url: z.string(),
  control_url: z.string(),
  control_token: z.string(),
  seed: Seed,
});
export type Ready = z.output<typeof Ready>;

const Options = z.object({
  serverUrl: z.string(),
  names: z.object({ seed: z.string(), live: z.string() }),
  folder: z.string(),
  port: z.int(),
  webhookTarget: z.string(),
});

if (import.meta.main) {
  const options = Options.parse(JSON.parse(process.argv[2] ?? ''));
  const log = pino({ level: 'error', base: null }, pino.destination(2));
  const sandbox = await startSandbox({ ...options, environment: {}, host: '127.0.0.1', log, report: () => {} });
  const control = await openControl({ sandbox, stop: () => {} });
  const ready: Ready = {
    base_url: `${sandbox.publicUrl}/api/public/v1`,
    app_url: sandbox.publicUrl,
    control_url: control.url,
    control_token: control.token,
    seed: sandbox.seeded.seed,
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  process.stdin.resume().once('close', () => {
    void control
      .close()
      .then(() => sandbox.close())
      .finally(() => process.exit());
  });
}
