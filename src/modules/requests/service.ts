export { listRequests } from './listing.ts';
