import type { RequestHandler } from 'express';
import { fail } from '../core/problem.ts';

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
