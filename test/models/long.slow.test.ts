import { walkWithCopy } from './copy.ts';
import { walkWithDeliveries } from './deliveries.ts';
import { walkWithKeys } from './keys.ts';
import { walkWithPeople } from './people.ts';
import { trySchedules } from './schedules.ts';

// More walks than `npm test` has time for.
await walkWithKeys(100);
await walkWithDeliveries(20);
await walkWithPeople(15);
await walkWithCopy(70);
await trySchedules(20);
