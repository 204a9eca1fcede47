import { describe } from 'vitest';
import { walkWithCopy } from './copy.ts';
import { walkWithDeliveries } from './deliveries.ts';
import { walkWithKeys } from './keys.ts';
import { walkWithPeople } from './people.ts';
import { trySchedules } from './schedules.ts';
import { isLengthGiven } from './walks.ts';

// More walks than `npm test` has time for. With MODEL_RUNS or MODEL_PATH, the other files take what these say.
describe.skipIf(isLengthGiven())('longer walks', () => {
  walkWithKeys(100);
  walkWithDeliveries(20);
  walkWithPeople(15);
  walkWithCopy(70);
  trySchedules(20);
});
