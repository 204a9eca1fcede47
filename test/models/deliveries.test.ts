import { walkWithDeliveries } from './deliveries.ts';

walkWithDeliveries(8);
