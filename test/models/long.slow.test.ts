import { walkWithCopy } from './copy.ts';
import { walkWithDeliveries } from './deliveries.ts';
import { walkWithKeys } from './keys.ts';
import { walkWithPeople } from './people.ts';
import { trySchedules } from './schedules.ts';

// More walks than `npm test` has time for.
await walkWithKeys(300);
await walkWithDeliveries(60);
await walkWithPeople(40);
await walkWithCopy(200);
await trySchedules(50);
