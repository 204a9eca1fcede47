import type { Clock } from '../core/clock.ts';
import type { Fault } from './failure.ts';

/** Whether a URL may be sent to, and if not, a sentence that tells its owner why. */
export type Verdict =
  | { readonly allowed: true; readonly url: string }
  | { readonly allowed: false; readonly reason: string };

export interface Message {
  /** As it was vetted and stored. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The team whose message it is: teams share the look-ups of names. */
  readonly group?: string | undefined;
}

/** How an attempt to send a message went; all of it is text that PostgreSQL can keep. */
export interface Exchange {
  readonly startedAt: Date;
  /** From the start to the end of the exchange, whole milliseconds. */
  readonly ms: number;
  readonly code: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** The answer's first 1000 characters; null where there was no answer. */
  readonly excerpt: string | null;
  /** Why there is no whole answer, in a sentence for the receiver's owner; null where there is one, whatever its status. */
  readonly error: string | null;
  /** Who is to blame that there is no whole answer: what is not clearly the service's own failure counts as the receiver's. */
  readonly fault: Fault | null;
}

/** The way out to machines of customers: never into private networks, and never longer than an attempt may take. */
export interface Egress {
  /**
   * Looks at a URL that somebody wants events sent to. A name that does not resolve (yet) is allowed. `group` is the team for
   * which it is looked at.
   */
  vet(url: string, group?: string): Promise<Verdict>;
  /** Posts once. Never throws: what goes wrong is an exchange too. */
  post(message: Message): Promise<Exchange>;
  close(): Promise<void>;
}

export interface EgressSettings {
  clock: Clock;
  /** The service's own address, which nothing is sent to. */
  publicUrl: string;
  /** `host:port` as written in URLs, or a CIDR of addresses, which pass though they are private. */
  allowTargets?: readonly string[] | undefined;
  /** PEM text of certificate authorities to trust beside the usual ones. */
  extraCa?: string | undefined;
  /** `address` or `address:port` of DNS servers to ask instead of the system's resolver. */
  dnsServers?: readonly string[] | undefined;
  /** Asked for a host's addresses instead of the system's resolver. */
  lookUp?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** An HTTP proxy through which every connection goes, by CONNECT to the address that was checked. */
  proxyUrl?: string | undefined;
  /** Milliseconds for a whole exchange, name look-up included. */
  timeout?: number | undefined;
}
