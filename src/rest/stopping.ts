import type { RequestHandler } from 'express';
import { fail } from '../core/problem.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';

/** While the service stops, what runs is finished and what is new is sent elsewhere. */
export const refuseWhileStopping =
  (lifecycle: Lifecycle): RequestHandler =>
  (_request, response, next) => {
    if (lifecycle.state === 'stopping') {
      response.setHeader('Connection', 'close');
      fail('unavailable');
    }
    next();
  };
