// A PostgreSQL of the system's packages.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { randomText } from '../../../src/core/crypto.ts';
import { connectTo } from '../../kit/database.ts';
import { freePort } from '../../kit/processes.ts';
import { accountOf, makeFolderFor, requireProgram } from './system.ts';

const run = promisify(execFile);

/** With PostgreSQL's defaults, so it is as durable as in production. */
const settings = (port: number) => ({
  listen_addresses: '127.0.0.1',
  port: String(port),
  unix_socket_directories: '',
  timezone: 'UTC',
  max_connections: '200',
});

/** Starts a new PostgreSQL below the folder, and stops it at the end. Returns the URL of a database that does not exist yet. */
export const startPostgres = async (opened: AsyncDisposableStack, folder: string): Promise<string> => {
  const initdb = await requireProgram('/usr/lib/postgresql/*/bin/initdb', 'postgresql');
  const account = accountOf('postgres');
  const home = await makeFolderFor(account, join(folder, 'postgres'));
  const [data, password] = [join(home, 'data'), randomText(24)];
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  await run(initdb, [`--pgdata=${data}`, ...access, '--encoding=UTF8', '--locale=C.UTF-8'], { ...account, cwd: home });

  const port = await freePort();
  const options = Object.entries(settings(port)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(join(folder, 'postgres.log'), 'a');
  // In a session of its own, so that Ctrl-C reaches the try alone.
  const server = spawn(join(dirname(initdb), 'postgres'), ['-D', data, ...options], {
    ...account,
    cwd: home,
    detached: true,
    stdio: ['ignore', log, log],
  });
  const ended = once(server, 'exit');
  const stopNow = () => void server.kill('SIGQUIT');
  process.once('exit', stopNow);
  opened.defer(async () => {
    server.kill('SIGINT'); // a fast shutdown
    await ended;
    process.off('exit', stopNow);
  });

  const urlOf = (database: string) => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`;
  const isReady = () =>
    connectTo(urlOf('postgres')).then(
      (client) => client.end().then(() => true),
      () => false,
    );
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
    await sleep(100);
  }
  return urlOf('team_api');
};
