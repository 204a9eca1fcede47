import { sha256 } from '../../core/crypto.ts';
import { FairQueue } from '../../core/fair-semaphore.ts';
import { limits } from '../../core/limits.ts';
import { networkOf } from '../../core/window-counter.ts';
import { isScope } from '../../core/scopes.ts';
import type { Scope } from '../../core/scopes.ts';
import { arrayText, bool, bytes, inet, int, listText, query, text, uuid } from '../../db/query.ts';
import type { Database } from '../../db/database.ts';
import type { RowOf } from '../../db/query.ts';
import { Flood } from './flood.ts';

// The gate: whether a request with a key may come in, and what is left of the budgets that it counts in. The function gate() of the
// database (gate.sql) decides. Requests that arrive together share one call of it.

/** The two parts of a key as a caller sends it. */
interface ShownKey {
  readonly prefix: string;
  readonly secret: string;
}

/** What is left of the budget that is nearest to its end. */
export interface Budget {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
}

/** The gate's answer to a request. */
export type Entry =
  | { readonly outcome: 'admitted'; readonly budget: Budget; readonly key: AdmittedKey }
  | { readonly outcome: 'disabled' | 'limited' | 'unauthorized'; readonly budget: Budget; readonly key?: AdmittedKey };

export interface AdmittedKey {
  readonly id: string;
  readonly tenantId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly memberDetail: boolean;
  readonly leaderboard: boolean;
  readonly teamLimit: number;
}

const keyShape = /^[Bb][Ee][Aa][Rr][Ee][Rr] +svck_live_([A-Za-z0-9]{12})_([A-Za-z0-9]{43})$/;

/** The key in the `Authorization` headers, if there is exactly one and it has the form of a key. */
export const readKey = (headers: readonly string[]): ShownKey | undefined => {
  const [only, ...more] = headers;
  if (only === undefined || more.length > 0) return undefined;
  const [, prefix, secret] = keyShape.exec(only) ?? [];
  return prefix !== undefined && secret !== undefined ? { prefix, secret } : undefined;
};

// It is looked up like a real key, so that a malformed key is answered no faster.
const noKey: ShownKey = { prefix: '', secret: '' };

export interface Admission {
  /** Judges a request, in a round trip that it may share with others. `key` is missing if the caller sent none in the form of a key. */
  admit(key: ShownKey | undefined, address: string): Promise<Entry>;
}

/** What the gate needs of a caller. */
interface Caller {
  readonly shown: ShownKey;
  readonly address: string;
  /** Whether the request counts in the budgets of the key and its team, or in that of the address. If not, they are only read. */
  readonly countKey: boolean;
  readonly countAddress: boolean;
}

/** The gate's verdict on one request. `uncounted`: the budgets were only read, and they have room. */
type Verdict =
  | { readonly outcome: 'busy'; readonly payer: string }
  | { readonly outcome: 'uncounted' }
  | (Entry & { readonly resetMs: number });

/** A call without an answer for this long may be on a dead connection: the next requests take another one. */
const lateAfterMs = 50;

export const makeAdmission = (database: Database, addressLimit: number): Admission => {
  const keys = new Flood();
  const networks = new Flood();

  const judge =
    ({ mayWait }: { mayWait: boolean }): Judge<Caller, Verdict> =>
    async (asked) => {
      const column = (valueOf: (caller: Caller, requests: number) => string | number | boolean): string =>
        arrayText(asked.map(({ caller, requests }) => valueOf(caller, requests)));
      const rows = await database.run(gate, {
        prefixes: column(({ shown }) => shown.prefix),
        secretHashes: column(({ shown }) => `\\x${sha256(shown.secret).toString('hex')}`),
        addresses: column(({ address }) => address),
        requests: column((_caller, requests) => requests),
        countKeys: column(({ countKey }) => countKey),
        countAddresses: column(({ countAddress }) => countAddress),
        keyLimit: limits.requestsPerKeyPerMinute,
        addressLimit,
        mayWait,
      });
      const verdicts: Verdict[][] = [];
      for (const row of rows) {
        const requests = asked[row.caller - 1]?.requests ?? 0;
        verdicts[row.caller - 1] = Array.from({ length: requests }, (_, at) => verdictOf(row, at));
      }
      return verdicts;
    };

  // This call never waits for a lock. Requests of a team whose budget is locked right now go into a second call, of their team alone.
  const everybody = new GateCalls(judge({ mayWait: false }), { lateAfterMs });
  const patient = new Map<string, GateCalls<Caller, Verdict>>();

  const askPatiently = async (payer: string, identity: string, caller: Caller): Promise<Verdict> => {
    const calls = patient.get(payer) ?? new GateCalls(judge({ mayWait: true }));
    patient.set(payer, calls);
    try {
      return await calls.ask(identity, networkOf(caller.address), caller);
    } finally {
      if (calls.isIdle) patient.delete(payer);
    }
  };

  const ask = async (caller: Caller): Promise<Verdict> => {
    const { shown, address, countKey, countAddress } = caller;
    const identity = `${shown.prefix} ${shown.secret} ${address} ${countKey} ${countAddress}`;
    const verdict = await everybody.ask(identity, networkOf(address), caller);
    return verdict.outcome === 'busy' ? askPatiently(verdict.payer, identity, caller) : verdict;
  };

  return {
    async admit(key, address) {
      const shown = key ?? noKey;
      const network = networkOf(address);
      const now = Date.now();
      const countKey = !keys.has(shown.prefix, now);
      const countAddress = !networks.has(network, now);
      let verdict = await ask({ shown, address, countKey, countAddress });
      // There is room again, so now the request counts.
      if (verdict.outcome === 'uncounted') verdict = await ask({ shown, address, countKey: true, countAddress: true });
      if (verdict.outcome === 'busy' || verdict.outcome === 'uncounted') throw new Error('the gate did not judge');
      const { resetMs, ...entry } = verdict;
      if (entry.outcome === 'limited') {
        const until = Date.now() + resetMs;
        if (entry.key) keys.add(shown.prefix, until);
        else networks.add(network, until);
      }
      return entry;
    },
  };
};

// Explained in gate.sql.
const gate = query({
  name: 'keys.gate',
  why: 'calls a function that judges all requests at hand in one round trip',
  sql: `select caller, outcome, counted, spent, payer, key_id, scopes, member_detail_enabled, leaderboard_enabled, team_limit,
               budget_limit, budget_left, reset_ms
          from gate(:prefixes, :secretHashes, :addresses, :requests, :countKeys, :countAddresses, :keyLimit, :addressLimit, :mayWait)`,
  parameters: {
    prefixes: listText(text),
    secretHashes: listText(bytes),
    addresses: listText(inet),
    requests: listText(int),
    countKeys: listText(bool),
    countAddresses: listText(bool),
    keyLimit: int,
    addressLimit: int,
    mayWait: bool,
  },
  row: {
    /** From 1. */
    caller: int.checked,
    /** `admitted`, `disabled`, `unauthorized` or `busy`. */
    outcome: text.checked,
    /** How many of the caller's requests were counted. */
    counted: int.checked,
    /** Whether the budgets have no room for another request. This and the columns of the budget are null for `busy`. */
    spent: bool.orNull,
    payer: uuid.checked,
    key_id: uuid.orNull,
    scopes: text.orNull,
    member_detail_enabled: bool.orNull,
    leaderboard_enabled: bool.orNull,
    team_limit: int.orNull,
    budget_limit: int.orNull,
    budget_left: int.orNull,
    reset_ms: int.orNull,
  },
});

type GateRow = RowOf<(typeof gate)['row']>;

const isJudged = (outcome: string): outcome is 'admitted' | 'disabled' | 'unauthorized' =>
  outcome === 'admitted' || outcome === 'disabled' || outcome === 'unauthorized';

/** The verdict on the request at this place of a caller's: the first `counted` were counted, the others found a budget spent. */
const verdictOf = (row: GateRow, at: number): Verdict => {
  const { outcome: judged, counted, payer, spent, budget_limit: limit, budget_left: left, reset_ms: resetMs } = row;
  if (judged === 'busy') return { outcome: 'busy', payer };
  const isCounted = at < counted;
  if (!isCounted && spent !== true) return { outcome: 'uncounted' };
  const outcome = isCounted ? judged : 'limited';
  if (limit === null || left === null || resetMs === null) throw new Error('the gate says nothing of the budget');
  const budget = {
    limit,
    // As it was after this request: the row has what is left after all of the caller's.
    left: left + (isCounted ? counted - 1 - at : 0),
    resetSeconds: Math.max(outcome === 'limited' ? 1 : 0, Math.ceil(resetMs / 1000)),
  };
  const key = keyOf(row);
  if (outcome === 'limited') return { outcome, budget, resetMs, ...(key && { key }) };
  if (!isJudged(outcome)) throw new Error(`the gate has no outcome ${outcome}`);
  if (outcome !== 'admitted') return { outcome, budget, resetMs, ...(key && { key }) };
  if (!key) throw new Error('the gate admitted nobody');
  return { outcome, budget, resetMs, key };
};

const keyOf = (row: GateRow): AdmittedKey | undefined => {
  if (row.key_id === null || row.team_limit === null) return undefined;
  return {
    id: row.key_id,
    tenantId: row.payer,
    scopes: scopesOf(row.scopes ?? ''),
    memberDetail: row.member_detail_enabled === true,
    leaderboard: row.leaderboard_enabled === true,
    teamLimit: row.team_limit,
  };
};

/** Keys have few different sets of scopes: each is parsed once. */
const knownScopes = new Map<string, ReadonlySet<Scope>>();
const mostKnownScopes = 1_000;

const scopesOf = (text: string): ReadonlySet<Scope> => {
  const known = knownScopes.get(text);
  if (known) return known;
  if (knownScopes.size >= mostKnownScopes) knownScopes.clear();
  const scopes = new Set(text.split(' ').filter(isScope));
  knownScopes.set(text, scopes);
  return scopes;
};

/** Requests of one caller that wait for the same call: the gate counts them together. */
interface Group<C, V> {
  readonly caller: C;
  readonly requests: { resolve: (verdict: V) => void; reject: (error: unknown) => void }[];
}

interface Asked<C> {
  readonly caller: C;
  readonly requests: number;
}

/** Calls the gate for several callers. Returns the verdicts on each caller's requests, in the same order. */
type Judge<C, V> = (asked: readonly Asked<C>[]) => Promise<V[][]>;

/** The most callers in one call: more would hold locks for longer than a few milliseconds. */
const callersAtOnce = 64;

/**
 * Collects requests into calls of the database. Requests that arrive in the same turn of the event loop share a call, and so do
 * those that arrive while a call is on its way: there is one call at a time, unless it is late. So an idle process judges a
 * request at once, and a busy one needs one round trip for many requests.
 *
 *   request ─▶ waiting ──the turn ends, and no call is on its way──▶ in a call ─▶ judged, or failed with the call's error
 *                 │                                                      ▲
 *                 └────the call before was answered, or is late──────────┘
 */
export class GateCalls<C, V> {
  readonly #judge: Judge<C, V>;
  readonly #lateAfterMs: number | undefined;
  readonly #waiting = new Map<string, Group<C, V>>();
  /** The identities that wait, by network. */
  readonly #line = new FairQueue<string>();
  /** Calls on their way that are not late. */
  #underway = 0;
  #isScheduled = false;

  /** A call that was not answered within `lateAfterMs` no longer holds back the next one. */
  constructor(judge: Judge<C, V>, { lateAfterMs }: { lateAfterMs?: number } = {}) {
    this.#judge = judge;
    this.#lateAfterMs = lateAfterMs;
  }

  /** Callers with the same identity are one caller. Networks take turns, so one that tries many keys at once delays only itself. */
  ask(identity: string, network: string, caller: C): Promise<V> {
    return new Promise((resolve, reject) => {
      const group = this.#waiting.get(identity);
      if (group) group.requests.push({ resolve, reject });
      else {
        this.#waiting.set(identity, { caller, requests: [{ resolve, reject }] });
        this.#line.add(network, identity);
      }
      this.#schedule();
    });
  }

  /** Whether no request waits and no call is on its way; late calls do not count. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#underway === 0;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underway > 0 || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send(this.#take());
    });
  }

  async #send(groups: readonly Group<C, V>[]): Promise<void> {
    this.#underway += 1;
    let isUnderway = true;
    const letNextGo = () => {
      if (!isUnderway) return;
      isUnderway = false;
      this.#underway -= 1;
      this.#schedule();
    };
    const late = this.#lateAfterMs === undefined ? undefined : setTimeout(letNextGo, this.#lateAfterMs);
    try {
      const verdicts = await this.#judge(groups.map(({ caller, requests }) => ({ caller, requests: requests.length })));
      groups.forEach(({ requests }, index) => {
        const own = verdicts[index] ?? [];
        requests.forEach(({ resolve, reject }, at) => {
          const verdict = own[at];
          if (verdict === undefined) reject(new Error('the gate gave no answer'));
          else resolve(verdict);
        });
      });
    } catch (error) {
      for (const { requests } of groups) for (const { reject } of requests) reject(error);
    } finally {
      clearTimeout(late);
      letNextGo();
    }
  }

  #take(): Group<C, V>[] {
    const taken: Group<C, V>[] = [];
    while (taken.length < callersAtOnce) {
      const identity = this.#line.next();
      const group = identity === undefined ? undefined : this.#waiting.get(identity);
      if (identity === undefined || group === undefined) break;
      this.#waiting.delete(identity);
      taken.push(group);
    }
    return taken;
  }
}
