import type { RequestHandler } from 'express';
import { fail } from '../core/problem.ts';
import { unknownBudgetFor } from './exchange.ts';

/** Whether the service takes requests: ready once everything it needs is there, never again once it stops. */
export interface Lifecycle {
  readonly state: 'starting' | 'ready' | 'stopping';
  ready(): void;
  stopping(): void;
}

export const makeLifecycle = (): Lifecycle => {
  let state: Lifecycle['state'] = 'starting';
  return {
    get state() {
      return state;
    },
    ready() {
      if (state === 'starting') state = 'ready';
    },
    stopping() {
      state = 'stopping';
    },
  };
};

/** A station that refuses new requests while the service stops. Requests that passed it are finished. */
export const refuseWhileStopping =
  (lifecycle: Lifecycle): RequestHandler =>
  (_request, response, next) => {
    if (lifecycle.state === 'stopping') {
      response.setHeader('Connection', 'close');
      fail('unavailable');
    }
    next();
  };

/** Whether maintenance is on, and how many seconds clients are asked to wait. */
export interface MaintenanceState {
  readonly current: { readonly retryAfterSeconds: number } | undefined;
}

/** A station that refuses requests during maintenance, before a database is asked for anything. */
export const refuseDuringMaintenance =
  (maintenance: MaintenanceState): RequestHandler =>
  (_request, response, next) => {
    const { current } = maintenance;
    if (current) {
      response.setHeaders(new Map(Object.entries(unknownBudgetFor(current.retryAfterSeconds))));
      response.setHeader('Retry-After', current.retryAfterSeconds);
      fail('unavailable');
    }
    next();
  };
