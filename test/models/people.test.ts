import { walkWithPeople } from './people.ts';

await walkWithPeople(10);
