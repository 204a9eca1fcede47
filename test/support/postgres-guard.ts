// Started by a process of the tests with a pipe as stdin, which closes when that process ends in whatever way (also SIGKILL). Each
// line is a folder to remove then, with any server that runs on it.

import { text } from 'node:stream/consumers';
import { removeServer } from './throw-away-postgres.ts';

const folders = (await text(process.stdin)).split('\n').filter((folder) => folder !== '');
await Promise.all(folders.map(removeServer));
