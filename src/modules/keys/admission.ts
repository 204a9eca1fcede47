import { sha256 } from '../../core/crypto.ts';
import { limits } from '../../core/limits.ts';
import { networkOf } from '../../core/network-of.ts';
import { isScope } from '../../core/scopes.ts';
import type { Scope } from '../../core/scopes.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { Flood } from './flood.ts';

/** The two parts of a key as a caller shows it. */
interface ShownKey {
  readonly prefix: string;
  readonly secret: string;
}

/** Whether the gate counts the request, by who pays for it. */
interface Counts {
  readonly key: boolean;
  readonly address: boolean;
}

const countAll: Counts = { key: true, address: true };

/** What is left of the budget that is nearest to its end. */
export interface Budget {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
}

/** The gate's answer: who may come in, and what of the budgets is left. */
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

interface GateRow {
  outcome: Entry['outcome'];
  tenant_id: string | null;
  key_id: string | null;
  scopes: string[] | null;
  member_detail_enabled: boolean | null;
  leaderboard_enabled: boolean | null;
  team_limit: number | null;
  budget_limit: number;
  budget_left: number;
  reset_ms: number;
}

type GateValues = [
  prefix: string,
  secretHash: Buffer,
  address: string,
  keyLimit: number,
  addressLimit: number,
  countKey: boolean,
  countAddress: boolean,
];

const gate = statement<GateRow, GateValues>(
  `select outcome, tenant_id, key_id, scopes, member_detail_enabled, leaderboard_enabled, team_limit, budget_limit, budget_left, reset_ms
     from gate($1, $2, $3, $4, $5, $6, $7)`,
);

const keyShape = /^[Bb][Ee][Aa][Rr][Ee][Rr] +svck_live_([A-Za-z0-9]{12})_([A-Za-z0-9]{43})$/;

/** What a caller shows: a well-formed key, or nothing that could be one. */
export const readKey = (headers: readonly string[]): ShownKey | undefined => {
  const [only, ...more] = headers;
  if (only === undefined || more.length > 0) return undefined;
  const [, prefix, secret] = keyShape.exec(only) ?? [];
  return prefix !== undefined && secret !== undefined ? { prefix, secret } : undefined;
};

// Takes the same look-up as a real key, so that a malformed one is answered no faster.
const noKey: ShownKey = { prefix: '', secret: '' };

export interface Admission {
  /** One round trip: who is this, may they come in, what is left? `key` is what they showed, if it looks like a key. */
  admit(key: ShownKey | undefined, address: string): Promise<Entry>;
}

export const makeAdmission = (database: Database, addressLimit: number): Admission => {
  const keys = new Flood();
  const networks = new Flood();

  const ask = async (shown: ShownKey, address: string, counts: Counts) => {
    const [row] = await database.rows(
      gate,
      shown.prefix,
      sha256(shown.secret),
      address,
      limits.requestsPerKeyPerMinute,
      addressLimit,
      counts.key,
      counts.address,
    );
    if (!row) throw new Error('the gate gave no answer');
    return row;
  };

  return {
    async admit(key, address) {
      const shown = key ?? noKey;
      const network = networkOf(address);
      const now = Date.now();
      const counts = { key: !keys.has(shown.prefix, now), address: !networks.has(network, now) };
      let row = await ask(shown, address, counts);
      const counted = row.key_id === null ? counts.address : counts.key;
      // The budgets were only read, and there is room again: now the request counts.
      if (!counted && row.outcome !== 'limited') row = await ask(shown, address, countAll);
      if (row.outcome === 'limited') {
        const until = Date.now() + row.reset_ms;
        if (row.key_id === null) networks.add(network, until);
        else keys.add(shown.prefix, until);
      }
      return entryOf(row);
    },
  };
};

const entryOf = (row: GateRow): Entry => {
  const budget = {
    limit: row.budget_limit,
    left: row.budget_left,
    resetSeconds: Math.max(row.outcome === 'limited' ? 1 : 0, Math.ceil(row.reset_ms / 1000)),
  };
  const key = keyOf(row);
  if (row.outcome !== 'admitted') return { outcome: row.outcome, budget, ...(key && { key }) };
  if (!key) throw new Error('the gate admitted nobody');
  return { outcome: 'admitted', budget, key };
};

const keyOf = (row: GateRow): AdmittedKey | undefined => {
  if (row.key_id === null || row.tenant_id === null || row.team_limit === null) return undefined;
  return {
    id: row.key_id,
    tenantId: row.tenant_id,
    scopes: new Set((row.scopes ?? []).filter(isScope)),
    memberDetail: row.member_detail_enabled === true,
    leaderboard: row.leaderboard_enabled === true,
    teamLimit: row.team_limit,
  };
};
