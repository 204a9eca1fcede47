import { walkWithCopy } from './copy.ts';

walkWithCopy(10);
