// npm run bench -- NAME [PART]: measures on this machine, prints ratios from one run. See docs/operations.md.

import { ConfigError } from '../../src/core/config-error.ts';

const benches: Readonly<Record<string, () => Promise<{ run(): Promise<void> }>>> = {
  rest: () => import('./rest.ts'),
  webhooks: () => import('./webhooks.ts'),
  app: () => import('./app.ts'),
  abuse: () => import('./abuse.ts'),
  events: () => import('./events.ts'),
  directory: () => import('./directory.ts'),
  peers: () => import('./peers.ts'),
  citus: () => import('./citus.ts'),
};

const name = process.argv[2] ?? '';
const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (load) {
  try {
    const bench = await load();
    await bench.run();
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    process.exitCode = 1;
  }
} else {
  console.error(`Usage: npm run bench -- (${Object.keys(benches).join(' | ')})`);
  process.exitCode = 2;
}
