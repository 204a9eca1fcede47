import { z } from 'zod';
import { makeApi } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { basePath } from '../../src/core/product.ts';
import { webhookLimits } from '../../src/core/limits.ts';
import { systemClock } from '../../src/core/clock.ts';
import { openVault } from '../../src/core/crypto.ts';
import { openEgress } from '../../src/webhooks/egress/egress.ts';
import { makeLogger } from '../../src/core/log.ts';
import { openDatabase } from '../../src/db/database.ts';
import { makeAdmission } from '../../src/modules/keys/admission.ts';
import { EventWaits } from '../../src/platform/event-waits.ts';
import { LargeReads } from '../../src/platform/large-reads.ts';
import { StorageCounter } from '../../src/platform/storage-counter.ts';
import { usualSignIn } from '../../src/platform/team.ts';
import { recordStatements } from './statements.ts';
import type { Sent } from './statements.ts';

const Page = z.object({ data: z.array(z.unknown()), next_cursor: z.string().nullable() });
export type Page = z.output<typeof Page>;

/** The service in this process, over real HTTP, with a recording of its statements. */
export interface MeasuredService {
  /** The answer's body and how long it took, in milliseconds. */
  get(path: string): Promise<{ body: unknown; ms: number }>;
  getPage(path: string): Promise<Page>;
  /** The statements of a request, without those of the gate, which are the same for every request. */
  statementsOf(path: string): Promise<Sent[]>;
  stop(): Promise<void>;
}

const publicUrl = 'http://localhost:3000';

export const surroundings = {
  vault: openVault(['a secret that only the bench knows']),
  clock: systemClock,
  publicUrl,
  egress: openEgress({ clock: systemClock, publicUrl }),
  deliverySchedule: webhookLimits,
  signIn: usualSignIn,
  teamDeletionDays: 30,
  largeReads: new LargeReads(),
  eventWaits: new EventWaits(async () => []),
  storage: new StorageCounter(async () => {}),
};

/** Each request uses the next key, so that no key comes near its limit. */
export const startMeasuredService = async (databaseUrl: string, keys: readonly string[]): Promise<MeasuredService> => {
  const database = openDatabase(databaseUrl, { poolSize: 4 });
  const recording = recordStatements(database);
  const log = makeLogger('silent');
  const platform = { ...surroundings, database: recording.database };
  const { lifecycle, listen } = await makeApi(platform, {
    config: readConfig({ PORT: '0' }),
    log,
    parts: {
      admission: makeAdmission(database, 60),
      usage: { note: () => {}, write: () => Promise.resolve() },
      requestLog: { note: () => {} },
    },
  });
  const server = await listen();
  lifecycle.ready();
  const url = `http://127.0.0.1:${server.port}${basePath}`;
  let asked = 0;

  const get: MeasuredService['get'] = async (path) => {
    const key = keys[(asked += 1) % keys.length];
    const started = performance.now();
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    const ms = performance.now() - started;
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
    return { body: JSON.parse(text), ms };
  };
  return {
    get,
    getPage: async (path) => Page.parse((await get(path)).body),
    async statementsOf(path) {
      recording.take();
      await get(path);
      return recording.take();
    },
    async stop() {
      lifecycle.stopping();
      await server.drain(1_000);
      await database.close();
    },
  };
};
