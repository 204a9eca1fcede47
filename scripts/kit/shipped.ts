// Reads the shipped settings and systemd units (docs/deploy) and the commands that make the users of the database
// (docs/operations.md). Only addresses, folders and passwords are replaced.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { randomText } from '../../src/core/crypto.ts';
import type { Cluster } from './postgres.ts';

type Environment = Readonly<Record<string, string>>;

const docs = new URL('../../docs/', import.meta.url);
export const readShipped = (file: string): Promise<string> => readFile(new URL(`deploy/${file}`, docs), 'utf8');

const units = {
  api: 'team-customer-api@',
  worker: 'team-customer-api-worker@',
  migrate: 'team-customer-api-migrate',
} as const;

export interface Unit {
  /** The words of `ExecStart`, without Node. */
  readonly command: readonly [program: string, ...words: string[]];
  readonly environment: Environment;
}

/** The unit of systemd with this instance. */
export const readUnit = async (name: keyof typeof units, instance = 0): Promise<Unit> => {
  const unit = (await readShipped(`systemd/${units[name]}.service`)).replaceAll('%i', String(instance));
  const valuesOf = (key: string) =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].flatMap(([, value = '']) => value.split(' '));
  const [, program = '', ...words] = valuesOf('ExecStart');
  const pairs = valuesOf('Environment').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { command: [program, ...words], environment: Object.fromEntries(pairs) };
};

/** The shipped file of settings, in which these replace the shipped ones or are added. */
export const settingsWith = async (values: Environment): Promise<string> => {
  let file = await readShipped('team-customer-api.env');
  for (const [name, value] of Object.entries(values)) {
    const line = `${name}='${value}'`;
    const former = new RegExp(`^${name}=.*$`, 'm');
    file = former.test(file) ? file.replace(former, () => line) : `${file}${line}\n`;
  }
  return file;
};

/** The owner of the database, who is no superuser. */
const owner = 'team_api';

/**
 * Makes the users of the database by the commands of docs/operations.md. The PostgreSQL must run with a socket in its
 * home. Returns the URL of the service's database, which does not exist yet.
 */
export const createUsers = async ({ bin, account, home, port }: Cluster): Promise<string> => {
  const guide = await readFile(new URL('operations.md', docs), 'utf8');
  const commands = [...guide.matchAll(/^runuser -u postgres -- (createuser .*)$/gm)].map(([, line = '']) => line);
  if (!commands.some((line) => line.endsWith(` ${owner}`)))
    throw new Error(`docs/operations.md makes no user ${owner}: ${commands.join('; ')}`);
  const password = randomText(24);
  for (const line of commands) {
    const [program = '', ...words] = line.split(' ');
    const env = { PATH: '/usr/bin:/bin', PGHOST: home, PGPORT: String(port), PGUSER: 'postgres' };
    // Without a terminal, in a session of its own, it reads the password from its input.
    const child = spawn(join(bin, program), words, { ...account, cwd: home, env, detached: true });
    child.stdin.on('error', () => {}).end(`${password}\n${password}\n`);
    child.stdout.resume();
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    if (code !== 0) throw new Error(`${line}: ${complaint}`);
  }
  return `postgresql://${owner}:${password}@127.0.0.1:${port}/team_api`;
};
