import type { Platform } from '../../platform/team.ts';
import { resealAll, type Vault, type ResealResult } from '../../core/crypto.ts';
import { syncMessages } from '../../core/messages/crm.ts';
import { SyncFailure } from './providers/failure.ts';
import {
  isProviderName,
  type CrmHttp,
  type CrmProvider,
  type ProviderName,
  type MakeProvider,
  type ProviderSettings,
} from './providers/provider.ts';
import { makeFeed } from './providers/feed.ts';
import { makeHubSpot } from './providers/hubspot.ts';
import { makePipedrive } from './providers/pipedrive.ts';
import { tokens, type ConnectionRow } from './store.ts';

// A connection's token is stored encrypted, like the secrets of endpoints, and not as a hash: every sync sends it.

const purpose = 'crm-token';

export const sealToken = (vault: Vault, connectionId: string, token: string): Buffer<ArrayBuffer> =>
  vault.seal(purpose, connectionId, token);

const unsealToken = (vault: Vault, connectionId: string, sealed: Uint8Array): string | undefined => {
  try {
    return vault.open(purpose, connectionId, sealed);
  } catch {
    return undefined;
  }
};

const providers: Readonly<Record<ProviderName, MakeProvider>> = {
  feed: makeFeed,
  hubspot: makeHubSpot,
  pipedrive: makePipedrive,
};

/** The values from which a CRM's adapter is made. `url` is null for the CRM's own address. */
export interface ProviderParts {
  provider: string;
  url: string | null;
  token: string;
  settings: ProviderSettings;
}

export const makeProvider = ({ provider: name, url, token, settings }: ProviderParts, http: CrmHttp): CrmProvider => {
  const make = isProviderName(name) ? providers[name] : undefined;
  if (!make) throw new SyncFailure('unavailable', syncMessages.unknownProvider(name));
  return make({ url: url === null ? undefined : new URL(url), token, settings }, http);
};

/** Makes the adapter of a connection's CRM. */
export const providerOf = (vault: Vault, connection: ConnectionRow, http: CrmHttp): CrmProvider => {
  const { id, credentials, provider, url, settings } = connection;
  const token = credentials === null ? undefined : unsealToken(vault, id, credentials);
  if (token === undefined) {
    throw new SyncFailure('credentials_refused', syncMessages.noToken);
  }
  return makeProvider({ provider, url, token, settings }, http);
};

/** Encrypts the tokens of all connections again with the first secret. */
export const resealTokens = async ({ database, vault }: Platform, max?: number): Promise<ResealResult> =>
  resealAll(
    {
      rows: await tokens.all(database),
      sealAgain: ({ id, credentials }) => credentials && vault.sealAgain(purpose, id, credentials),
      replace: (row, credentials) => tokens.replace(database, row, credentials),
    },
    max,
  );
