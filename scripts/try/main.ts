// npm run try -- NAME: tries the service as it runs in production, with several processes behind a proxy, and counts
// what was lost. Each number is printed with its limit; exit code 1 if one is missed. It needs a Debian: missing
// packages are installed if root runs it.

import { parseArgs } from 'node:util';
import { ConfigError } from '../../src/core/config-error.ts';
import type { Try } from '../kit/installation.ts';
import { proxyNames, type ProxyName } from '../kit/proxy.ts';

const tries: Readonly<Record<string, { about: string; load: () => Promise<{ run: Try }> }>> = {
  rolling: { about: 'restarts every process in turn under load', load: () => import('./rolling.ts') },
  backup: { about: 'restores to a moment, and from a dump', load: () => import('./backup.ts') },
  citus: {
    about: 'adds a node of Citus under load, moves teams, and lets a node and the coordinator fail',
    load: () => import('./citus.ts'),
  },
  production: {
    about:
      'the installation of docs/operations.md by the shipped files: deployment, rotation, restart, floods, restore',
    load: () => import('./production.ts'),
  },
  overload: {
    about:
      'what other teams feel of one team’s flood and of what hangs, behind each proxy; --cells: on a distributed database',
    load: () => import('./overload.ts'),
  },
  failover: {
    about: 'kills the primary of patroni under load, its machine and only PostgreSQL, three times each',
    load: () => import('./failover.ts'),
  },
  soak: { about: 'runs for an hour and compares its end with its beginning', load: () => import('./soak.ts') },
};

const usage = () =>
  `Usage: npm run try -- NAME [--requests N] [--minutes N] [--asynchronous] [--cells] [--proxy ${proxyNames.join('|')}]\n${Object.entries(
    tries,
  )
    .map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
    .join('\n')}`;

/** A flag for a shorter trial run. */
const numberOf = (text: string | undefined): number | undefined => {
  const number = Number(text ?? 1);
  if (!(number > 0)) throw new ConfigError(`${text} is no number above 0`);
  return text === undefined ? undefined : number;
};

const proxyOf = (text: string | undefined): ProxyName | undefined => {
  const known = proxyNames.find((name) => name === text);
  if (known === undefined && text !== undefined) throw new ConfigError(`${text} is none of ${proxyNames.join(', ')}`);
  return known;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string' },
    minutes: { type: 'string' },
    asynchronous: { type: 'boolean', default: false },
    cells: { type: 'boolean', default: false },
    proxy: { type: 'string' },
  },
});
process.setMaxListeners(50); // each program that a try starts is ended with this process
const [name = ''] = positionals;
const known = Object.hasOwn(tries, name) ? tries[name] : undefined;
if (known) {
  const { run } = await known.load();
  const opened = new AsyncDisposableStack();
  const stop = () => void opened.disposeAsync().finally(() => process.exit(1));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  process.once('uncaughtException', (error) => {
    console.error(error);
    stop();
  });
  try {
    const { asynchronous, cells } = values;
    const [requests, minutes] = [numberOf(values.requests), numberOf(values.minutes)];
    await run(opened, { requests, minutes, asynchronous, cells, proxy: proxyOf(values.proxy) });
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    process.exitCode = 1;
  }
  await opened.disposeAsync();
  process.exit(); // a load may still run if something else has failed
} else {
  console.error(usage());
  process.exitCode = 2;
}
