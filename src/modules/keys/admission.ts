import { sha256 } from '../../core/crypto.ts';
import { limits } from '../../core/limits.ts';
import { networkOf } from '../../core/network-of.ts';
import { isScope } from '../../core/scopes.ts';
import type { Scope } from '../../core/scopes.ts';
import { arrayText } from '../../db/array-text.ts';
import type { Database } from '../../db/database.ts';
import { bool, bytes, inet, int, listText, query, text, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { Flood } from './flood.ts';
import { GateCalls } from './gate-calls.ts';
import type { Judge } from './gate-calls.ts';

/** The two parts of a key as a caller shows it. */
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

/** The gate's answer: whether the request may come in, and what of the budgets is left. */
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

/** The key that a caller shows, if the header has the form of one. */
export const readKey = (headers: readonly string[]): ShownKey | undefined => {
  const [only, ...more] = headers;
  if (only === undefined || more.length > 0) return undefined;
  const [, prefix, secret] = keyShape.exec(only) ?? [];
  return prefix !== undefined && secret !== undefined ? { prefix, secret } : undefined;
};

// Takes the same look-up as a real key, so that a malformed one is answered no faster.
const noKey: ShownKey = { prefix: '', secret: '' };

export interface Admission {
  /** Judges a request, in a round trip that it may share with others. `key` is what the caller showed, if it has the form of a key. */
  admit(key: ShownKey | undefined, address: string): Promise<Entry>;
}

/** Everything that the gate looks at. */
interface Caller {
  readonly shown: ShownKey;
  readonly address: string;
  /** Whether the request counts in the budgets of the key and its team, or in that of the address. Otherwise they are only read. */
  readonly countKey: boolean;
  readonly countAddress: boolean;
}

// gate.sql explains it.
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
    /** Whether the budgets have no room for another one; null if it is `busy`, like what is said of the budgets. */
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

/** What one request of a caller got. */
type Verdict =
  | { readonly outcome: 'busy'; readonly payer: string }
  | { readonly outcome: 'uncounted' }
  | (Entry & { readonly resetMs: number });

/** A call this old may be on a connection that has gone silent: the requests behind it take another one. */
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

  // Never waits for a lock: the requests of a team whose budget is locked right now are asked again, in a line of their own.
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
      // The budgets were only read, and there is room again: now the request counts.
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

const isJudged = (outcome: string): outcome is 'admitted' | 'disabled' | 'unauthorized' =>
  outcome === 'admitted' || outcome === 'disabled' || outcome === 'unauthorized';

/** What a caller's requests got, in the order of their arrival: the first so many were counted, the others found a budget spent. */
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

/** Keys have few different sets of scopes: each is read once. */
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
