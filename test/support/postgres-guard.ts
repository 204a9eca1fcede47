// A test process starts this one with a pipe as stdin. The pipe closes when that process ends, even by SIGKILL. Each
// line is a folder that is then removed, after the server that runs on it was stopped.

import { text } from 'node:stream/consumers';
import { removeServer } from './throw-away-postgres.ts';

const folders = (await text(process.stdin)).split('\n').filter((folder) => folder !== '');
await Promise.all(folders.map(removeServer));
