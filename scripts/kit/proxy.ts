// Starts a proxy with the configuration that docs/deploy/proxy ships: only its addresses, its certificate and its
// processes are replaced.

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { makeCertificate } from './certificate.ts';
import { installPackage } from './system.ts';
import { freePort, killAtExit, untilReady } from './processes.ts';

const execute = promisify(execFile);

interface Proxy {
  readonly program: string;
  readonly config: string;
  readonly certificates: string;
  /** The arguments with which it runs in the foreground, or only checks its configuration. */
  readonly run: (folder: string, config: string) => readonly string[];
  readonly check: (folder: string, config: string) => readonly string[];
}

const ofHaproxy = (_folder: string, config: string) => ['-db', '-f', config];
const ofNginx = (folder: string, config: string) => {
  const directives = `daemon off; pid ${folder}/nginx.pid;`;
  return ['-e', 'stderr', '-c', config, '-g', directives];
};
const ofCaddy = (config: string) => ['--config', config, '--adapter', 'caddyfile'];

/** Those with a shipped configuration. */
export const proxyNames = ['haproxy', 'nginx', 'caddy'] as const;
export type ProxyName = (typeof proxyNames)[number];

const proxies = {
  haproxy: {
    program: '/usr/sbin/haproxy',
    config: 'haproxy.cfg',
    certificates: '/etc/haproxy/certs',
    run: ofHaproxy,
    check: (folder, config) => [...ofHaproxy(folder, config), '-c'],
  },
  nginx: {
    program: '/usr/sbin/nginx',
    config: 'nginx.conf',
    certificates: '/etc/nginx/certs',
    run: ofNginx,
    check: (folder, config) => [...ofNginx(folder, config), '-t'],
  },
  caddy: {
    program: '/usr/bin/caddy',
    config: 'Caddyfile',
    certificates: '/etc/caddy/certs',
    run: (_folder, config) => ['run', ...ofCaddy(config)],
    check: (_folder, config) => ['validate', ...ofCaddy(config)],
  },
} as const satisfies Record<ProxyName, Proxy>;

/** Installs Debian's package. Returns the reason if the proxy is still missing. */
export const installProxy = async (name: ProxyName): Promise<string | undefined> => {
  const { program } = proxies[name];
  const failed = existsSync(program) ? undefined : await installPackage(name);
  return existsSync(program) ? undefined : `${program} is missing: ${failed ?? ''}`;
};

export interface RunningProxy extends AsyncDisposable {
  readonly origin: string;
  /** The origin without TLS. */
  readonly plain: string;
  /** The certificate that clients must trust, as PEM. */
  readonly certificate: string;
  /** The lines that it has logged: of haproxy as shipped, one for each request that failed or was sent again. */
  readonly logged: readonly { at: Date; line: string }[];
}

/**
 * A configuration with so many processes: it is shipped with two, and the lines of a further one are those of the
 * second, as its comments say.
 */
const withProcesses = (asShipped: string, [first = 0, ...others]: readonly number[]): string =>
  asShipped
    .split('\n')
    .flatMap((line) => {
      if (!/127\.0\.0\.1:3001\b/.test(line)) return line.replace(/127\.0\.0\.1:3000\b/, `127.0.0.1:${first}`);
      return others.map((port, index) =>
        line
          .replace('127.0.0.1:3001', `127.0.0.1:${port}`)
          .replaceAll(/\b(api|API_)2/g, (_, named) => `${named}${index + 2}`),
      );
    })
    .join('\n');

/** Starts the proxy in front of API processes on this machine, which must be ready. `shorter` replaces a line's time-out. */
export const startProxy = async (
  name: ProxyName,
  ports: readonly number[],
  shorter?: { line: string; by: string },
): Promise<RunningProxy> => {
  const { program, config, certificates, run, check } = proxies[name];
  const folder = await mkdtemp(join(tmpdir(), `team-customer-api-${name}-`));
  const { cert, key } = await makeCertificate(['127.0.0.1', 'localhost']);
  const certificateFile = (extension: string) => join(folder, `team-customer-api.${extension}`);
  await writeFile(certificateFile('crt'), cert);
  await writeFile(certificateFile('key'), key, { mode: 0o600 });
  await writeFile(certificateFile('pem'), `${cert}${key}`, { mode: 0o600 });
  const [plain, port] = [await freePort(), await freePort()];
  const asShipped = await readFile(new URL(`../../docs/deploy/proxy/${config}`, import.meta.url), 'utf8');
  if (shorter && !asShipped.includes(shorter.line)) throw new Error(`${config} lacks ${shorter.line}`);
  const lines = withProcesses(shorter ? asShipped.replace(shorter.line, shorter.by) : asShipped, ports)
    .replaceAll(certificates, folder)
    .replace(/bind :::80 v4v6|listen 80;/, (line) => line.replace(/:::80 v4v6|80/, `127.0.0.1:${plain}`))
    .replace(/bind :::443 v4v6|listen 443/, (line) => line.replace(/:::443 v4v6|443/, `127.0.0.1:${port}`))
    .replace(/^:80 \{/m, `:${plain} {\n\tbind 127.0.0.1`)
    .replace(/^:443 \{/m, `:${port} {\n\tbind 127.0.0.1`)
    .replaceAll(/^ *listen \[::\].*$/gm, '')
    // Started by root, haproxy changes to this account itself.
    .replaceAll(/^ *(user|group) haproxy$/gm, (line) => (userInfo().uid === 0 ? line : ''));
  const file = join(folder, config);
  await writeFile(file, lines);
  // Caddy keeps what it remembers in its home.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder };
  await execute(program, check(folder, file), { env });

  const child = spawn(program, run(folder, file), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = killAtExit(child);
  const logged: { at: Date; line: string }[] = [];
  for (const output of [child.stdout, child.stderr])
    createInterface(output).on('line', (line) => void logged.push({ at: new Date(), line }));
  const complaints = () => logged.map(({ line }) => line).join('\n');
  const isListening = () => fetch(`http://127.0.0.1:${plain}`, { redirect: 'manual' }).then(Boolean);
  await untilReady(child, isListening, complaints);
  return {
    origin: `https://127.0.0.1:${port}`,
    plain: `http://127.0.0.1:${plain}`,
    certificate: cert,
    logged,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
