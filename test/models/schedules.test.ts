import { trySchedules } from './schedules.ts';

trySchedules(12);
