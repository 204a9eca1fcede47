import { minutesToMs } from '../../core/clock.ts';

// Among the answers of 10,000 teams, the failures of one small team are too small a share for an alert, and a label for
// each team would make 10,000 time series of each route. So each process itself finds the callers whose requests fail
// one after the other, and shows how many such callers there are. The log names them.

/** The team or the key of a request. */
export interface TeamOrKey {
  readonly tenantId: string | undefined;
  readonly keyPrefix: string | undefined;
}

interface CallersAnswer extends TeamOrKey {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

interface FailuresInRow {
  readonly method: string;
  readonly route: string;
  readonly inRow: number;
  readonly lastAt: number;
}

/** After this number of failures in a row a caller counts as failing. */
const failuresInRow = 3;
const forgottenAfterMs = minutesToMs(30);
/** How many callers are remembered. In an outage more callers fail, but then an alert sees the share of all answers. */
const maxCallers = 1_000;
/** The answers that do not show whether a route works: too many requests, and a client that left. */
const sayNothing = new Set([429, 499]);

/** The callers whose last answers of a route were all 5xx. Times are those of `performance.now()`. */
export class FailingCallers {
  readonly #failures = new Map<string, FailuresInRow>();

  note({ method, route, status, tenantId, keyPrefix }: CallersAnswer, now = performance.now()): void {
    // A request that fails at the gate has no team yet.
    const caller = keyPrefix ?? tenantId;
    if (caller === undefined || sayNothing.has(status)) return;
    const key = `${method} ${route} ${caller}`;
    const known = this.#failures.get(key);
    if (status < 500) this.#failures.delete(key);
    else if (known || this.#failures.size < maxCallers)
      this.#failures.set(key, { method, route, inRow: (known?.inRow ?? 0) + 1, lastAt: now });
  }

  /** For how many callers each route fails. Routes that fail for nobody are left out. */
  counts(now = performance.now()): { method: string; route: string; callers: number }[] {
    for (const [key, { lastAt }] of this.#failures) if (now - lastAt > forgottenAfterMs) this.#failures.delete(key);
    const failing = [...this.#failures.values()].filter(({ inRow }) => inRow >= failuresInRow);
    const routes = Map.groupBy(failing, ({ method, route }) => `${method} ${route}`);
    return [...routes.values()].flatMap(([first, ...others]) =>
      first ? { method: first.method, route: first.route, callers: 1 + others.length } : [],
    );
  }
}
