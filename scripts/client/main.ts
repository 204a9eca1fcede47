// npm run client: builds the client's package into dist/client and prints where its tarball is.

import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.ts';
import { buildClient } from './build.ts';

// The same configuration as the service, because the package is for the clients of this installation.
const { PUBLIC_URL, PORT } = readConfig();
const origin = PUBLIC_URL ?? `http://localhost:${PORT}`;
const folder = fileURLToPath(new URL('../../dist/client', import.meta.url));
const { tarball, sizes } = await buildClient({ folder, origin });
console.error(
  `For the service at ${origin}. Compressed: the client ${sizes.client} kB, verifyWebhook alone ${sizes.webhooks} kB.`,
);
console.log(tarball);
