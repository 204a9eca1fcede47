import { walkWithKeys } from './keys.ts';

await walkWithKeys(15);
