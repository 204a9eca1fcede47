import { it } from 'vitest';
import { walkWithCopy } from './copy.ts';
import { walkWithDeliveries } from './deliveries.ts';
import { walkWithKeys } from './keys.ts';
import { walkWithPeople } from './people.ts';
import { trySchedules } from './schedules.ts';
import { isLengthGiven } from './walks.ts';

// More walks than `npm test` has time for.
if (isLengthGiven()) it.skip('the other files take as many walks as they are told');
else {
  walkWithKeys(100);
  walkWithDeliveries(20);
  walkWithPeople(15);
  walkWithCopy(70);
  await trySchedules(20);
}
