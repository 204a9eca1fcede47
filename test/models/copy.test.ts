import { walkWithCopy } from './copy.ts';

await walkWithCopy(10);
