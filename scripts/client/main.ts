// Builds the files of the clients' packages into dist/client and dist/client-py, from which the service makes the tarball and the wheel
// that customers install. A part of `npm run generate`.

import { fileURLToPath } from 'node:url';
import { placeForAddress } from '../../src/server/developers/client-package.ts';
import { buildFiles, buildPythonFiles } from './build.ts';

const folderOf = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

await buildPythonFiles({ folder: folderOf('client-py'), origin: placeForAddress });
await buildFiles({ folder: folderOf('client'), origin: placeForAddress });
