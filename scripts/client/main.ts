// Builds the files of the client's package into dist/client, from which the service makes the tarball that customers
// install. A part of `npm run generate`.

import { fileURLToPath } from 'node:url';
import { placeForAddress } from '../../src/server/developers/client-package.ts';
import { buildFiles } from './build.ts';

await buildFiles({ folder: fileURLToPath(new URL('../../dist/client', import.meta.url)), origin: placeForAddress });
