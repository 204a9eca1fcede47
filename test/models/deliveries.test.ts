import { walkWithDeliveries } from './deliveries.ts';

await walkWithDeliveries(8);
