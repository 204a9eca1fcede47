import { walkWithPeople } from './people.ts';

walkWithPeople(4);
