import { walkWithKeys } from './keys.ts';

walkWithKeys(15);
