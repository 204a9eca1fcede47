import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureDatabase } from './migrate.ts';
import { clusterExists, createCluster, openCluster, type Cluster, type Settings } from './embedded/cluster.ts';
import { exclusively, connectKeeper, type Keeper } from './embedded/keeper.ts';
import { clusterHome } from './embedded/home.ts';
import { isUnavailable } from './unavailable.ts';

export interface EmbeddedDatabase {
  readonly url: string;
  /** Releases the server; the last release stops it. Close your own connections first. */
  release(): Promise<void>;
}

interface EmbeddedOptions {
  report?: ((line: string) => void) | undefined;
  /** Called when the server has ended for good: somebody has stopped it, or it does not start again. */
  onEnd?: ((reason: Error) => void) | undefined;
  /** PostgreSQL's settings, if this call starts the server. */
  settings?: Settings;
}

const DATABASE = 'team_customer_api';

/**
 * The project's own PostgreSQL, which runs while at least one process uses it.
 *
 *   nothing ──create──▶ stopped ──first opener──▶ running ──last release──▶ stopped
 *                                                 │  ▲
 *                                     is killed ──▼──┘ an opener starts it again
 *
 * Each opener keeps one connection (the keeper), so PostgreSQL itself counts the openers, and a killed opener is no
 * longer counted. The server runs in its own session and survives the kill of its opener; the next opener adopts it,
 * and the last one stops it. A file lock makes sure that no process opens its first connection while another one checks
 * for connections and stops the server.
 */
export const openEmbedded = async (dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedDatabase> => {
  const { report = () => {}, onEnd = () => {}, settings = {} } = options;
  const home = clusterHome(dataDir);
  const lock = join(home, 'postgres.lock');
  let released: Promise<void> | undefined;

  const { cluster, url, keeper } = await exclusively(lock, async () => {
    if (!clusterExists(home)) {
      report(`Creating the embedded PostgreSQL in ${home} …`);
      await createCluster(home, { durable: settings['fsync'] !== 'off' });
    }
    const opened = openCluster(home);
    return enter(opened, { settings, report });
  });

  let current = keeper;
  const enterAgain = async (): Promise<void> => {
    if (released) return;
    report('The embedded PostgreSQL does not answer any more.');
    const entered = await enter(cluster, { settings, report, onlyAfterCrash: true });
    current = entered.keeper;
    // All connections are made to the first address.
    if (entered.url !== url) throw new Error('The embedded PostgreSQL had to be started on another port.');
    report('The embedded PostgreSQL answers again.');
  };
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await current.ended;
      if (released) return;
      await exclusively(lock, enterAgain);
    }
  };
  keepRunning().catch(onEnd);

  return { url, release: () => (released ??= exclusively(lock, () => leave(cluster, current))) };
};

const TIMEOUT_MS = 120_000;

interface EnterOptions {
  settings: Settings;
  report: (line: string) => void;
  /** A server that somebody has stopped stays stopped. */
  onlyAfterCrash?: boolean;
}

/** Starts the server if it does not run, waits while it starts, recovers or stops, and stays connected. */
const enter = async (cluster: Cluster, { settings, report, onlyAfterCrash = false }: EnterOptions) => {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const server = cluster.running();
    if (!server) {
      if (onlyAfterCrash && !cluster.hasPidFile()) throw new Error('The embedded PostgreSQL was stopped.');
      report('Starting the embedded PostgreSQL …');
      await cluster.start(settings);
      continue;
    }
    try {
      const url = cluster.urlOf(server, DATABASE);
      await ensureDatabase(url);
      return { cluster, url, keeper: await connectKeeper(cluster.urlOf(server, 'postgres')) };
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
};

const leave = async (cluster: Cluster, keeper: Keeper): Promise<void> => {
  const inUse = await keeper.othersAreConnected().catch(() => true); // no answer: it is already stopped or stopping
  await keeper.close();
  if (!inUse && cluster.running()) await cluster.stop();
};
