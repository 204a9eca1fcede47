import { testFloods } from './floods.ts';

await testFloods('reads');
