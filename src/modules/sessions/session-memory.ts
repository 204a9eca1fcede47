import { WindowCounter } from '../../core/window-counter.ts';
import type { SignedIn } from './schema.ts';

/** How long a session that is over is remembered as such. */
const endedSeconds = 60;

/** Sessions and people that are remembered at the same time; the oldest make way. */
const capacity = 20_000;

/** What a person (`calls`) or a session (`changes`) may do so many times a minute. */
export type Limited = 'calls' | 'changes';

interface Owner {
  readonly personId: string;
  readonly teamIds: ReadonlySet<string>;
}

const keep = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size <= capacity) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
};

/**
 * What a process remembers of sessions, by their tokens, so that it can refuse a call or let it wait without a question to the
 * database. It decides nothing else: who is signed in, and in which team, is looked up at every call that is let in.
 */
export class SessionMemory {
  readonly #ended = new WindowCounter({ seconds: endedSeconds });
  readonly #calls = new WindowCounter({ seconds: 60, capacity });
  readonly #owners = new Map<string, Owner>();
  readonly #limitedUntil = new Map<string, number>();

  hasEnded(token: string): boolean {
    return this.#ended.has(token);
  }

  /** Keeps what a look-up found: whose session this is, or that it is over. */
  note(token: string, signedIn: SignedIn | undefined): void {
    if (signedIn) {
      const teamIds = new Set(signedIn.teams.map(({ tenantId }) => tenantId));
      keep(this.#owners, token, { personId: signedIn.personId, teamIds });
    } else {
      this.#owners.delete(token);
      this.#ended.count(token);
    }
  }

  /** Whose session this was when it was last looked up. */
  ownerOf(token: string): Owner | undefined {
    return this.#owners.get(token);
  }

  /** Counts a call with this session, in this process alone. */
  countCall(token: string): { used: number; wait: number } {
    return this.#calls.count(token);
  }

  /** The database counted too many calls of a person, or changes of a session: until then there is no need to ask it again. */
  limit(whose: string, what: Limited, waitSeconds: number): void {
    keep(this.#limitedUntil, `${what} ${whose}`, Date.now() + waitSeconds * 1000);
  }

  /** For how many seconds this person or session may do no more of these; 0 where nothing is known against it. */
  waitOf(whose: string, what: Limited): number {
    const until = this.#limitedUntil.get(`${what} ${whose}`) ?? 0;
    return Math.max(0, Math.ceil((until - Date.now()) / 1000));
  }
}
