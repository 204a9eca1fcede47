import { openFeed } from './feed.ts';
import type { OpenProvider } from './provider.ts';

/** The CRMs that a team can connect to. */
export const providerNames = ['feed', 'hubspot', 'pipedrive'] as const;
export type ProviderName = (typeof providerNames)[number];

/** How each is reached. */
export const providers: Readonly<Record<ProviderName, OpenProvider | undefined>> = {
  feed: openFeed,
  hubspot: undefined,
  pipedrive: undefined,
};

export const isProviderName = (text: string): text is ProviderName => providerNames.some((name) => name === text);
