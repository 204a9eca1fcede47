import process from 'node:process';
import { readConfig } from '../../src/config.ts';
import { remindOfDue } from '../../src/modules/assignments/automatic-reminders.ts';
import { openFoundation } from '../../src/run/foundation.ts';

// A worker that only sends the automatic reminders of a given time, and that a test kills.

const [, , time = ''] = process.argv;
const foundation = await openFoundation(readConfig(process.env), { clock: { now: () => new Date(time) } });
await remindOfDue(foundation.platform, (error) => {
  throw error;
});
await foundation.close();
