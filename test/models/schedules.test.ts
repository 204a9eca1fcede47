import { trySchedules } from './schedules.ts';

await trySchedules(12);
