import type { Clock } from '../core/clock.ts';
import type { Vault } from '../core/crypto.ts';
import type { Database } from '../db/database.ts';
import type { Egress } from '../egress/egress.ts';
import type { LargeReads } from './large-reads.ts';

/** What every rule may lean on. Made once, by the composition root. */
export interface Platform {
  readonly database: Database;
  readonly vault: Vault;
  readonly clock: Clock;
  /** The way out to the machines of customers. */
  readonly egress: Egress;
  /** Where people and clients reach the service; links are made from it. */
  readonly publicUrl: string;
  /** Shared by everything that reads for teams in this process. */
  readonly largeReads: LargeReads;
}

/** The platform as a team uses it: its reads take turns with those of other teams. */
export const platformFor = (platform: Platform, teamId: string): Platform => ({
  ...platform,
  database: platform.database.forGroup(teamId),
});
