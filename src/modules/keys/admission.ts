import { inBatches } from '../../core/batch.ts';
import { sha256 } from '../../core/crypto.ts';
import { limits } from '../../core/limits.ts';
import { networkOf } from '../../core/window-counter.ts';
import { isScope } from '../../core/scopes.ts';
import type { Scope } from '../../core/scopes.ts';
import { remembered, TtlMap } from '../../core/ttl-map.ts';
import { arrayText, bool, bytes, inet, int, listText, query, text, uuid } from '../../db/query.ts';
import type { Database } from '../../db/database.ts';
import type { RowOf } from '../../db/query.ts';

// The gate decides whether a request with a key is admitted, and counts it in its budgets. The database function gate() (gate.sql) makes
// the decision. Requests that arrive together share one call of it.

/** The two parts of a key in a request. */
interface SentKey {
  readonly prefix: string;
  readonly secret: string;
}

export interface Budget {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
}

export interface NamedBudget extends Budget {
  readonly name: 'key' | 'team' | 'address';
}

interface Budgets {
  /** The budget that has the least left. */
  readonly budget: Budget;
  /** All budgets that the request counts in: of the key and its team, or of the address. */
  readonly budgets: readonly NamedBudget[];
}

/** The gate's decision on a request. */
export type GateDecision = Budgets &
  (
    | { readonly outcome: 'admitted'; readonly key: AdmittedKey }
    | { readonly outcome: 'disabled' | 'limited' | 'unauthorized'; readonly key?: AdmittedKey }
  );

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
export const readKey = (headers: readonly string[]): SentKey | undefined => {
  const [only, ...more] = headers;
  if (only === undefined || more.length > 0) return undefined;
  const [, prefix, secret] = keyShape.exec(only) ?? [];
  return prefix !== undefined && secret !== undefined ? { prefix, secret } : undefined;
};

// A missing or malformed key is looked up like a real one, so that its answer is not faster.
const noKey: SentKey = { prefix: '', secret: '' };

export interface Admission {
  /** Decides on a request, in a round trip that it may share with others. `key` is undefined if the request has none in the right form. */
  admit(key: SentKey | undefined, address: string): Promise<GateDecision>;
  /** The refusal of an address that is remembered as over its limit. It holds for requests without a key, and needs no query. */
  refusalOf(address: string): GateDecision | undefined;
}

/** A caller as the gate needs it. */
interface Caller {
  readonly sent: SentKey;
  readonly address: string;
  /** Whether the request counts in the budgets of the key and its team, or in that of the address. Otherwise they are only read. */
  readonly countKey: boolean;
  readonly countAddress: boolean;
}

/**
 * The database's result for one request. `busy`: another call has locked, or is creating, a budget that the request needs; `payer` is the team
 * or the address that has to be asked for alone. `uncounted`: the budgets were only read, and they have room.
 */
type GateResult =
  | { readonly outcome: 'busy'; readonly payer: string }
  | { readonly outcome: 'uncounted' }
  | (GateDecision & { readonly resetMs: number });

/** The most keys, and the most networks, that are remembered as over their limit. */
const maxOverLimit = 10_000;

/** A call without an answer for this long may be on a dead connection, so the next requests use another one. */
const lateAfterMs = 50;

/** Requests in one call. More would hold locks for longer than a few milliseconds. */
const callsAtOnce = 64;

/** Payers for which requests wait at the same time. Beyond them, requests of one payer may wait in several calls. */
const maxLockedPayers = 1_000;

/** Requests with the same identity are counted together. */
const identityOf = ({ sent, address, countKey, countAddress }: Caller): string =>
  `${sent.prefix} ${sent.secret} ${address} ${countKey} ${countAddress}`;

export const makeAdmission = (database: Database, addressLimit: number): Admission => {
  // The keys and networks that are over their limit, until the end of their windows. Their requests are not counted, because counting writes to
  // the database. If an entry is removed too early, the only cost is that one more request is counted.
  const keysOverLimit = new TtlMap<true>({ capacity: maxOverLimit });
  const networksOverLimit = new TtlMap<{ decision: GateDecision; until: number }>({ capacity: maxOverLimit });

  /** Calls the gate. Requests of the same caller are one element of its arguments, with their number. */
  const callGate =
    ({ mayWait }: { mayWait: boolean }) =>
    async (requests: readonly Caller[]): Promise<GateResult[]> => {
      const groups = Map.groupBy(requests, identityOf);
      const callers = [...groups.values()].flatMap(([first]) => first ?? []);
      const column = (valueOf: (caller: Caller) => string | number | boolean): string =>
        arrayText(callers.map(valueOf));
      const rows = await database.run(gate, {
        prefixes: column(({ sent }) => sent.prefix),
        secretHashes: column(({ sent }) => `\\x${sha256(sent.secret).toString('hex')}`),
        addresses: column(({ address }) => address),
        requests: column((caller) => groups.get(identityOf(caller))?.length ?? 0),
        countKeys: column(({ countKey }) => countKey),
        countAddresses: column(({ countAddress }) => countAddress),
        keyLimit: limits.requestsPerKeyPerMinute,
        addressLimit,
        mayWait,
      });
      const identities = [...groups.keys()];
      const rowOf = new Map(rows.map((row) => [identities[row.caller - 1], row]));
      return requests.map((request) => {
        const row = rowOf.get(identityOf(request));
        if (!row) throw new Error('the gate gave no answer');
        return resultOf(row, groups.get(identityOf(request))?.indexOf(request) ?? 0);
      });
    };

  // This call waits for no budget that another call has locked. The requests of such a payer (a team or an address) are sent in a second call,
  // for this payer alone. Networks take turns, so a network that tries many keys delays only itself.
  const turns = { max: callsAtOnce, keyOf: ({ address }: Caller) => networkOf(address) };
  const askWithoutWaiting = inBatches(callGate({ mayWait: false }), { ...turns, nextAfterMs: lateAfterMs });
  const askersWhoWait = new TtlMap<(caller: Caller) => Promise<GateResult>>({ capacity: maxLockedPayers });
  const ask = async (caller: Caller): Promise<GateResult> => {
    const result = await askWithoutWaiting(caller);
    if (result.outcome !== 'busy') return result;
    return remembered(askersWhoWait, result.payer, () => inBatches(callGate({ mayWait: true }), turns))(caller);
  };

  return {
    refusalOf(address) {
      const known = networksOverLimit.get(networkOf(address));
      return known && withReset(known.decision, Math.max(1, Math.ceil((known.until - performance.now()) / 1000)));
    },

    async admit(key, address) {
      const sent = key ?? noKey;
      const network = networkOf(address);
      const countKey = !keysOverLimit.has(sent.prefix);
      const countAddress = !networksOverLimit.has(network);
      let result = await ask({ sent, address, countKey, countAddress });
      // The budgets have room again, so the request is counted now.
      if (result.outcome === 'uncounted') result = await ask({ sent, address, countKey: true, countAddress: true });
      if (result.outcome === 'busy' || result.outcome === 'uncounted') throw new Error('the gate did not decide');
      const { resetMs, ...decision } = result;
      if (decision.outcome === 'limited') {
        if (decision.key) keysOverLimit.set(sent.prefix, true, { ttlMs: resetMs });
        else networksOverLimit.set(network, { decision, until: performance.now() + resetMs }, { ttlMs: resetMs });
      }
      return decision;
    },
  };
};

const withReset = (decision: GateDecision, resetSeconds: number): GateDecision => ({
  ...decision,
  budget: { ...decision.budget, resetSeconds },
  budgets: decision.budgets.map((budget) => ({ ...budget, resetSeconds })),
});

// Explained in gate.sql.
const gate = query({
  name: 'keys.gate',
  why: 'calls a function that decides on several requests in one round trip',
  sql: `select caller, outcome, counted, spent, payer, key_id, scopes, member_detail_enabled, leaderboard_enabled, team_limit,
               budget_limit, budget_left, reset_ms, key_left, key_reset_ms, team_left, team_reset_ms
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
    /** Whether at least one budget has no room for another request. This and the columns of the budget mean nothing for `busy`. */
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
    key_left: int.orNull,
    key_reset_ms: int.orNull,
    team_left: int.orNull,
    team_reset_ms: int.orNull,
  },
});

type GateRow = RowOf<(typeof gate)['row']>;

const isDecided = (outcome: string): outcome is 'admitted' | 'disabled' | 'unauthorized' =>
  outcome === 'admitted' || outcome === 'disabled' || outcome === 'unauthorized';

/**
 * The result for the caller's request with this index. If the budgets were counted, the first `counted` requests are in them, and the others
 * found one spent. If they were only read, no request was counted.
 */
const resultOf = (row: GateRow, at: number): GateResult => {
  const { outcome: decided, counted, payer, spent, budget_limit: limit, budget_left: left, reset_ms: resetMs } = row;
  if (decided === 'busy') return { outcome: 'busy', payer };
  const isCounted = at < counted;
  if (!isCounted && spent !== true) return { outcome: 'uncounted' };
  const outcome = isCounted ? decided : 'limited';
  if (limit === null || left === null || resetMs === null) throw new Error('the gate returned no budget');
  // The row says what is left after all counted requests of the caller. After this one, more was left: one for each counted after it.
  const later = isCounted ? counted - 1 - at : 0;
  const least = outcome === 'limited' ? 1 : 0;
  const budget = { limit, left: left + later, resetSeconds: Math.max(least, Math.ceil(resetMs / 1000)) };
  const key = keyOf(row);
  const budgets = key ? budgetsOf(row, key, { later, least }) : [{ name: 'address' as const, ...budget }];
  const result = { budget, budgets, resetMs };
  if (outcome === 'limited') return { outcome, ...result, ...(key && { key }) };
  if (!isDecided(outcome)) throw new Error(`the gate returned an unknown outcome ${outcome}`);
  if (outcome !== 'admitted') return { outcome, ...result, ...(key && { key }) };
  if (!key) throw new Error('the gate admitted a request without a key');
  return { outcome, ...result, key };
};

/** The budgets of the key and of its team. A spent one starts again after `least` seconds at the earliest. */
const budgetsOf = (
  { key_left: keyLeft, key_reset_ms: keyResetMs, team_left: teamLeft, team_reset_ms: teamResetMs }: GateRow,
  { teamLimit }: AdmittedKey,
  { later, least }: { later: number; least: number },
): NamedBudget[] => {
  if (keyLeft === null || keyResetMs === null || teamLeft === null || teamResetMs === null)
    throw new Error('the gate returned no budgets of the key');
  const secondsOf = (left: number, ms: number) => Math.max(left === 0 ? least : 0, Math.ceil(ms / 1000));
  return [
    {
      name: 'key',
      limit: limits.requestsPerKeyPerMinute,
      left: keyLeft + later,
      resetSeconds: secondsOf(keyLeft, keyResetMs),
    },
    { name: 'team', limit: teamLimit, left: teamLeft + later, resetSeconds: secondsOf(teamLeft, teamResetMs) },
  ];
};

const keyOf = (row: GateRow): AdmittedKey | undefined => {
  if (row.key_id === null || row.team_limit === null) return undefined;
  return {
    id: row.key_id,
    tenantId: row.payer,
    scopes: new Set((row.scopes ?? '').split(' ').filter(isScope)),
    memberDetail: row.member_detail_enabled === true,
    leaderboard: row.leaderboard_enabled === true,
    teamLimit: row.team_limit,
  };
};
