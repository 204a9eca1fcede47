import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { ConfigError } from '../../core/config-error.ts';
import { openEmbedded } from '../../db/embedded.ts';
import { clusterHome } from '../../db/embedded/home.ts';
import { onStopSignal } from '../../run/process.ts';
import { announce, announcementFile, withdraw, type Announcement } from './announcement.ts';
import { openControl } from './control.ts';
import { refuseInProduction, startSandbox, type SandboxOptions } from './sandbox.ts';

export interface StartOptions extends Pick<SandboxOptions, 'host' | 'webhookTarget' | 'environment' | 'report'> {
  /** The port. If absent, 4010, or a free one if that is in use. */
  port: number | undefined;
}

const usualPort = 4010;

/** A port that is reserved until it is released. */
interface HeldPort {
  port: number;
  release: () => Promise<void>;
}

/** Reserves a port if it is free; for 0, any free port. */
const hold = (wanted: number, host: string): Promise<HeldPort | undefined> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(undefined));
    server.listen(wanted, host, () => {
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      const release = () =>
        new Promise<void>((done) => {
          server.close(() => done());
        });
      resolve({ port, release });
    });
  });

/**
 * Reserves the port while the database is prepared, so that sandboxes that start at the same time choose different
 * ports.
 */
const choosePort = async ({ port, host }: StartOptions): Promise<HeldPort> => {
  const chosen = (await hold(port ?? usualPort, host)) ?? (port === undefined ? await hold(0, host) : undefined);
  if (chosen !== undefined) return chosen;
  throw new ConfigError(`Port ${port} can't be used on ${host}: choose another one with --port, or leave it out.`);
};

/** A sandbox's data is deleted when it stops, so nothing has to survive a crash of the machine. */
const fleeting = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

/** Starts a small process that cleans up if this process is killed. The small process ends after this one. */
const watchOver = (database: string, places: readonly string[]): void => {
  const program = fileURLToPath(new URL('./cleanup.ts', import.meta.url));
  const child = spawn(process.execPath, [program, database, ...places], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
};

/**
 * Starts a sandbox in this process. It ends at a stop signal, at `sandbox stop`, or if its database has ended for good.
 * The packed command (bin) sends the signal when the process that started the command has ended.
 */
export const startHere = async (options: StartOptions): Promise<Announcement> => {
  refuseInProduction(options.environment);
  const { host, webhookTarget, environment, report } = options;
  const { port, release: releasePort } = await choosePort(options);
  const folder = mkdtempSync(join(tmpdir(), 'team-customer-api-sandbox-'));
  const database = clusterHome(folder);
  watchOver(database, [folder, announcementFile(port)]);

  const started = new AsyncDisposableStack();
  started.defer(releasePort);
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  started.defer(() => rmSync(database, { recursive: true, force: true }));
  let isStopping = false;
  let finished: Promise<unknown> = Promise.resolve();
  const stop = async () => {
    isStopping = true;
    await finished.catch(() => undefined);
    await started.disposeAsync();
  };
  onStopSignal(stop);

  const start = async (): Promise<Announcement> => {
    const onEnd = ({ message }: Error) => {
      report(message);
      process.kill(process.pid, 'SIGTERM');
    };
    const postgres = await openEmbedded(folder, { report, onEnd, settings: fleeting });
    started.defer(() => postgres.release());
    // The log goes to stderr, because stdout contains only the announcement.
    const log = pino({ level: environment['LOG_LEVEL'] ?? 'silent', base: null }, pino.destination(2));
    const parts = { environment, serverUrl: postgres.url, folder, host, port, releasePort, webhookTarget, log, report };
    const sandbox = await startSandbox(parts);
    started.defer(() => sandbox.close());
    const control = await openControl({ sandbox, stop: () => process.kill(process.pid, 'SIGTERM') });
    started.defer(() => control.close());
    const announcement: Announcement = {
      base_url: `${sandbox.publicUrl}/api/public/v1`,
      app_url: sandbox.publicUrl,
      control_url: control.url,
      control_token: control.token,
      ...sandbox.seeded.seed,
      pid: process.pid,
    };
    announce(announcement);
    started.defer(() => withdraw(announcement));
    return announcement;
  };
  const starting = start();
  finished = starting;
  try {
    return await starting;
  } catch (error) {
    if (!isStopping) await started.disposeAsync();
    throw error;
  }
};
