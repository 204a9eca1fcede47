import { sha256 } from '../../core/crypto.ts';
import { limits } from '../../core/limits.ts';
import { networkOf } from '../../core/address.ts';
import { remembered, TtlMap, WindowCounter } from '../../core/ttl-map.ts';
import { isScope, type Scope } from '../../core/scopes.ts';
import { arrayText, bool, bytes, inet, int, listText, query, text, uuid, type RowOf } from '../../db/query.ts';
import type { Database } from '../../db/database.ts';

// The gate decides whether a request with a key is admitted, and counts it in its budgets. The database function gate()
// (gate.sql) makes the decision. Requests that arrive together share one call of the function (`inBatches`). The call
// belongs to no request and no team, so it runs as the user of DATABASE_URL, to whom no row level security applies.

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

export interface Budgets {
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

// A missing or malformed key is looked up like a real one, so that its answer does not come faster.
const noKey: SentKey = { prefix: '', secret: '' };

export interface Admission {
  /**
   * Decides on a request, in a round trip that it may share with others. `key` is undefined if the request has none in
   * the right form.
   */
  admit(key: SentKey | undefined, address: string): Promise<GateDecision>;
}

/** A caller in the form that the gate needs. */
interface GateCaller {
  readonly sent: SentKey;
  readonly address: string;
}

/**
 * The result for a request. `busy`: another call has locked a budget that the request needs, or this budget has no row
 * yet. `payer` is the team or the address to which the budgets belong.
 */
type GateResult = GateDecision | { readonly outcome: 'busy'; readonly payer: string };

/** A call that has no answer after this time may be on a dead connection, so the next requests use another one. */
const lateAfterMs = 50;

/** The most requests in one call. With more, it would hold locks for longer than a few milliseconds. */
const callsAtOnce = 64;

/**
 * How many payers may have waiting requests at the same time. Beyond this number, requests of one payer may wait in
 * several calls.
 */
const maxLockedPayers = 1_000;

/** How often a request that was busy asks again. Once is enough, unless old budgets are deleted at the same moment. */
const maxAttempts = 5;

/** Requests with the same identity are one group, and are counted together. */
const identityOf = ({ sent, address }: GateCaller): string => `${sent.prefix} ${sent.secret} ${address}`;

export const makeAdmission = (database: Database, addressLimit: number): Admission => {
  /**
   * Calls the gate. Each array that the gate gets has one element for all requests with the same key and address;
   * `requests` has their number.
   */
  const callGate = async (
    requests: readonly GateCaller[],
    { mayWait }: { mayWait: boolean },
  ): Promise<GateResult[]> => {
    const groups = Map.groupBy(requests, identityOf);
    const callers = [...groups.values()].flatMap(([first]) => first ?? []);
    const column = (valueOf: (caller: GateCaller) => string | number): string => arrayText(callers.map(valueOf));
    const rows = await database.run(gate, {
      prefixes: column(({ sent }) => sent.prefix),
      secretHashes: column(({ sent }) => `\\x${sha256(sent.secret).toString('hex')}`),
      addresses: column(({ address }) => address),
      requests: column((caller) => groups.get(identityOf(caller))?.length ?? 0),
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
  const { parts } = database;
  // The budgets of a team are in the team's part of the database. Those of an address with an unknown key are in the
  // part for rows without a team.
  const teamOf = ({ sent }: GateCaller) => parts.teamOfKey(sent.prefix);
  const ask = parts.inBatches(teamOf, (callers: readonly GateCaller[]) => callGate(callers, { mayWait: false }), {
    max: callsAtOnce,
    nextAfterMs: lateAfterMs,
    waitsForNoRows: true,
  });
  // While the budget of a payer is locked, all requests of this payer wait in one call, so that the other connections
  // stay free for other payers.
  const waitingOf = new TtlMap<(caller: GateCaller) => Promise<GateResult>>({ capacity: maxLockedPayers });
  const waiter = () =>
    parts.inBatches(teamOf, (callers: readonly GateCaller[]) => callGate(callers, { mayWait: true }), {
      max: callsAtOnce,
    });

  return {
    async admit(key, address) {
      const caller = { sent: key ?? noKey, address };
      let result = await ask(caller);
      for (let attempt = 0; result.outcome === 'busy' && attempt < maxAttempts; attempt += 1) {
        result = await remembered(waitingOf, result.payer, waiter)(caller);
      }
      if (result.outcome === 'busy') throw new Error('the gate did not decide');
      return result;
    },
  };
};

/**
 * Decides on requests for the API's description. Requests without a key count in another budget of their address, in
 * the memory of this process, with a limit of its own: programs in a CI must be able to read the description, and many
 * of them share an address.
 */
export const descriptionAdmission = (admission: Admission): Admission => {
  const limit = limits.descriptionsPerMinute;
  const counter = new WindowCounter({ seconds: 60 });
  return {
    async admit(key, address) {
      if (key) return admission.admit(key, address);
      const { used, wait } = counter.count(networkOf(address));
      const budget = { limit, left: Math.max(0, limit - used), resetSeconds: wait };
      const budgets = [{ name: 'address' as const, ...budget }];
      return { outcome: used > limit ? 'limited' : 'unauthorized', budget, budgets };
    },
  };
};

// Explained in gate.sql.
const gate = query({
  name: 'keys.gate',
  why: 'calls a function that decides on several requests in one round trip',
  sql: `select caller, outcome, counted, payer, key_id as "keyId", scopes, member_detail_enabled as "memberDetail",
               leaderboard_enabled as leaderboard, team_limit as "teamLimit", budget_limit as "budgetLimit",
               budget_left as "budgetLeft", reset_ms as "resetMs", key_left as "keyLeft", key_reset_ms as "keyResetMs",
               team_left as "teamLeft", team_reset_ms as "teamResetMs"
          from gate(:prefixes, :secretHashes, :addresses, :requests, :keyLimit, :addressLimit, :mayWait)`,
  parameters: {
    prefixes: listText(text),
    secretHashes: listText(bytes),
    addresses: listText(inet),
    requests: listText(int),
    keyLimit: int,
    addressLimit: int,
    mayWait: bool,
  },
  row: {
    /** The index of the caller in the arguments, from 1. */
    caller: int.checked,
    /** `admitted`, `disabled`, `unauthorized` or `busy`. */
    outcome: text.checked,
    /** How many of the caller's requests were counted. */
    counted: int.checked,
    payer: uuid.checked,
    keyId: uuid.orNull,
    scopes: text.orNull,
    memberDetail: bool.orNull,
    leaderboard: bool.orNull,
    teamLimit: int.orNull,
    budgetLimit: int.orNull,
    budgetLeft: int.orNull,
    resetMs: int.orNull,
    keyLeft: int.orNull,
    keyResetMs: int.orNull,
    teamLeft: int.orNull,
    teamResetMs: int.orNull,
  },
});

type GateRow = RowOf<(typeof gate)['row']>;

const isRefusal = (outcome: string): outcome is 'disabled' | 'limited' | 'unauthorized' =>
  outcome === 'disabled' || outcome === 'limited' || outcome === 'unauthorized';

/** The value of a column that is never null for the present outcome. */
const given = <T>(value: T | null): T => {
  if (value === null) throw new Error('the gate left out a value');
  return value;
};

/**
 * The result for the caller's request with this index: the first `counted` requests were counted in the budgets; for
 * the others, a budget was spent.
 */
const resultOf = (row: GateRow, at: number): GateResult => {
  const { outcome: decided, counted, payer } = row;
  if (decided === 'busy') return { outcome: 'busy', payer };
  const outcome = at < counted ? decided : 'limited';
  // The row says how much of the budget is left after all counted requests of the caller. After this request it was
  // more, by one for each request that was counted later.
  const later = Math.max(0, counted - 1 - at);
  // A spent budget starts again in one second at the earliest.
  const min = outcome === 'limited' ? 1 : 0;
  const resetSeconds = Math.max(min, Math.ceil(given(row.resetMs) / 1000));
  const budget = { limit: given(row.budgetLimit), left: given(row.budgetLeft) + later, resetSeconds };
  const key = row.keyId === null ? undefined : keyOf(row, row.keyId);
  const budgets = key ? budgetsOf(row, key, { later, min }) : [{ name: 'address' as const, ...budget }];
  if (outcome === 'admitted' && key) return { outcome, budget, budgets, key };
  if (!isRefusal(outcome)) throw new Error(`the gate cannot answer ${outcome}`);
  return { outcome, budget, budgets, ...(key && { key }) };
};

/** The budgets of the key and of its team. */
const budgetsOf = (
  row: GateRow,
  { teamLimit }: AdmittedKey,
  { later, min }: { later: number; min: number },
): NamedBudget[] => {
  const [keyLeft, teamLeft] = [given(row.keyLeft), given(row.teamLeft)];
  const secondsOf = (left: number, ms: number) => Math.max(left === 0 ? min : 0, Math.ceil(ms / 1000));
  return [
    {
      name: 'key',
      limit: limits.requestsPerKeyPerMinute,
      left: keyLeft + later,
      resetSeconds: secondsOf(keyLeft, given(row.keyResetMs)),
    },
    {
      name: 'team',
      limit: teamLimit,
      left: teamLeft + later,
      resetSeconds: secondsOf(teamLeft, given(row.teamResetMs)),
    },
  ];
};

const keyOf = (row: GateRow, id: string): AdmittedKey => ({
  id,
  tenantId: row.payer,
  scopes: new Set(given(row.scopes).split(' ').filter(isScope)),
  memberDetail: given(row.memberDetail),
  leaderboard: given(row.leaderboard),
  teamLimit: given(row.teamLimit),
});
