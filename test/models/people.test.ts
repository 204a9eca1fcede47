import { walkWithPeople } from './people.ts';

await walkWithPeople(4);
