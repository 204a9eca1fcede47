import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFoundation } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { prepareDemo } from '../../src/demo/prepare.ts';
import type { DemoDocument } from '../../src/demo/prepare.ts';
import { startServer } from './server-process.ts';

/** A service with the demo teams and the built app, in its own process with its own database. `folder` is for files of a bench. */
export interface DemoService extends AsyncDisposable {
  readonly origin: string;
  readonly folder: string;
  readonly team: DemoDocument['teams'][number];
}

const makeDemo = async (databaseUrl: string, folder: string): Promise<DemoDocument> => {
  const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: folder });
  const foundation = await openFoundation(config);
  try {
    return await prepareDemo(foundation, { config });
  } finally {
    await foundation.close();
  }
};

export const startDemoService = async (): Promise<DemoService> => {
  const folder = await mkdtemp(join(tmpdir(), 'team-customer-api-bench-'));
  const started = new AsyncDisposableStack();
  started.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    const postgres = await openEmbedded(folder);
    started.defer(() => postgres.release());
    await migrate(postgres.url);
    const [team] = (await makeDemo(postgres.url, folder)).teams;
    if (!team) throw new Error('the demo has no team');
    const server = await startServer('src/main.ts', ['api'], postgres.url);
    started.defer(() => server.stop());
    return { origin: server.origin, folder, team, [Symbol.asyncDispose]: () => started.disposeAsync() };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
};
