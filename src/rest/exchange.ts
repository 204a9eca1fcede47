import type { Language } from '../core/language.ts';
import type { Answering } from '../platform/large-reads.ts';
import type { Entry } from '../modules/keys/admission.ts';

/** What a request's stations know about it, filled in the order in which it passes them. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAt: number;
  readonly language: Language;
  /** The key's first part, as sent; never the secret. */
  keyPrefix?: string;
  entry?: Entry;
  /** The gate let it in. */
  passed?: true;
  /** The route's template, for logs: never the path with its ids. */
  route?: string;
  /** The code of the problem that was answered. */
  problem?: string;
  /** What is owed to the read that the answer comes from. */
  readonly answering: Answering;
}

declare global {
  // The one way Express offers to type what a request carries.
  namespace Express {
    interface Request {
      exchange: Exchange;
    }
  }
}
