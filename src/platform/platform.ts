import type { Clock } from '../core/clock.ts';
import type { Vault } from '../core/crypto.ts';
import type { Database } from '../db/database.ts';
import type { Egress } from '../webhooks/egress/egress.ts';
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
  /** Days between the end of a team and the deletion of its data. */
  readonly teamDeletionDays: number;
  /** Shared by everything that reads for teams in this process. */
  readonly largeReads: LargeReads;
}
