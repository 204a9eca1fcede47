import { openFeed } from './feed.ts';
import { openHubSpot } from './hubspot.ts';
import { openPipedrive } from './pipedrive.ts';
import type { OpenProvider } from './provider.ts';

/** The CRMs that a team can connect to. */
export const providerNames = ['feed', 'hubspot', 'pipedrive'] as const;
export type ProviderName = (typeof providerNames)[number];

/** How each is reached. */
export const providers: Readonly<Record<ProviderName, OpenProvider>> = {
  feed: openFeed,
  hubspot: openHubSpot,
  pipedrive: openPipedrive,
};

export const isProviderName = (text: string): text is ProviderName => providerNames.some((name) => name === text);
