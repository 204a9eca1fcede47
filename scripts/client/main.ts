// npm run client: builds the client's package into dist/client and prints where its tarball is.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.ts';
import { buildClient } from './build.ts';

// The same configuration as the service, because the package is for the clients of this installation.
const { PUBLIC_URL, PORT } = readConfig();
const origin = PUBLIC_URL ?? `http://localhost:${PORT}`;
const folder = join(fileURLToPath(new URL('../../dist/', import.meta.url)), 'client');
const { tarball, sizes } = await buildClient({ folder, origin });
console.error(
  `For the service at ${origin}. Compressed: the client ${sizes.client} kB, verifyWebhook alone ${sizes.webhooks} kB.`,
);
console.log(tarball);
