import type { Clock } from '../core/clock.ts';
import type { Vault } from '../core/crypto.ts';
import type { Database } from '../db/database.ts';

/** What every rule may lean on. Made once, by the composition root. */
export interface Platform {
  readonly database: Database;
  readonly vault: Vault;
  readonly clock: Clock;
  /** Where people and clients reach the service; links are made from it. */
  readonly publicUrl: string;
}
