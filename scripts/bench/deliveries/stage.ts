import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import { webhookLimits } from '../../../src/core/limits.ts';
import { openVault } from '../../../src/core/crypto.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { openEmbedded } from '../../../src/db/embedded.ts';
import { openCluster } from '../../../src/db/embedded/cluster.ts';
import type { Cluster, Settings } from '../../../src/db/embedded/cluster.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openEgress } from '../../../src/webhooks/egress/egress.ts';
import { EventWaits } from '../../../src/platform/event-waits.ts';
import { LargeReads } from '../../../src/platform/large-reads.ts';
import { StorageCounter } from '../../../src/platform/storage-counter.ts';
import { usualSignIn } from '../../../src/platform/team.ts';
import type { Platform } from '../../../src/platform/team.ts';
import { makeCertificate } from './certificate.ts';
import { startReceiver } from './receiver-process.ts';
import type { Receiver } from './receiver-process.ts';

/** A PostgreSQL, a receiver in its own process, and this process, which raises the events. */
export interface Stage {
  readonly databaseUrl: string;
  readonly cluster: Cluster;
  readonly platform: Platform;
  readonly receiver: Receiver;
  /** The environment of a process that sends to the receiver. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

interface Wanted {
  /** An empty folder, for the database and the receiver's certificate. */
  folder: string;
  /** Settings of PostgreSQL. */
  settings?: Settings;
  /** The number of the receiver's hosts, and the share of requests to faulty paths that fail. */
  hosts: number;
  failing?: number;
}

const secret = 'a secret that only the bench knows';
const publicUrl = 'http://localhost:3000';

export const openStage = async ({ folder, settings = {}, hosts, failing }: Wanted): Promise<Stage> => {
  const opened = new AsyncDisposableStack();
  try {
    const addresses = Array.from({ length: hosts }, (_, index) => `127.0.0.${index + 1}`);
    const { cert, key } = makeCertificate(addresses);
    const [pemFile, caFile] = [join(folder, 'receiver.pem'), join(folder, 'ca.pem')];
    await Promise.all([writeFile(pemFile, `${cert}${key}`), writeFile(caFile, cert)]);
    const receiver = await startReceiver({ pemFile, addresses, ...(failing !== undefined && { failing }) });
    opened.defer(() => receiver.stop());

    const postgres = await openEmbedded(folder, { settings });
    opened.defer(() => postgres.release());
    await migrate(postgres.url);
    const database = openDatabase(postgres.url, { poolSize: 10 });
    opened.defer(() => database.close());
    const egress = openEgress({ clock: systemClock, publicUrl });
    opened.defer(() => egress.close());

    return {
      databaseUrl: postgres.url,
      cluster: openCluster(folder),
      platform: {
        database,
        egress,
        clock: systemClock,
        vault: openVault([secret]),
        publicUrl,
        deliverySchedule: webhookLimits,
        signIn: usualSignIn,
        teamDeletionDays: 30,
        largeReads: new LargeReads(),
        eventWaits: new EventWaits(async () => []),
        storage: new StorageCounter(async () => {}),
      },
      receiver,
      environment: {
        DATABASE_URL: postgres.url,
        APP_SECRET: secret,
        PUBLIC_URL: publicUrl,
        WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
        WEBHOOK_CA_FILE: caFile,
      },
      close: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
};
