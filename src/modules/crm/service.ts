export { dealList as listDeals, objectionList as listObjections } from './store.ts';
export { connectCrm, storeDeals, storeObjections, syncFailed } from './sync.ts';
export type { SyncedDeal } from './sync.ts';
