import { randomBytes } from 'node:crypto';
import type { Vault } from '../../core/crypto.ts';

export const purpose = 'webhook-secret';

/** What an endpoint's events are signed with: `whsec_` and 43 characters of base64url. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

export const sealSecret = (vault: Vault, endpointId: string, secret: string): Buffer<ArrayBuffer> =>
  vault.seal(purpose, endpointId, secret);

export const openSecret = (vault: Vault, endpointId: string, sealed: Uint8Array): string =>
  vault.open(purpose, endpointId, sealed);
