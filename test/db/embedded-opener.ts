// A process that uses the embedded PostgreSQL: prints its URL, and releases it when its stdin closes.

import { openEmbedded } from '../../src/db/embedded.ts';

const database = await openEmbedded(process.argv[2] ?? '');
console.log(database.url);
process.stdin.resume().once('close', () => void database.release());
