export { listDeals, listObjections } from './listing.ts';
export { connectCrm, storeDeals, storeObjections, syncFailed } from './sync.ts';
export type { SyncedDeal } from './sync.ts';
