import { apiOf, follow, type LocalCopy } from './following-client.mts';

/** Reads what is new. Call it every few minutes, and when a webhook arrives. */
export const followOnce = (baseUrl: string, key: string, kept: LocalCopy): Promise<void> =>
  follow(apiOf(baseUrl, key), kept);
