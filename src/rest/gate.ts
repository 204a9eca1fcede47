import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../http/address.ts';
import { fail } from '../core/problem.ts';
import { readKey } from '../modules/keys/admission.ts';
import type { Admission, Budget } from '../modules/keys/admission.ts';
import type { KeyUsage } from '../modules/keys/usage.ts';

/** The `Authorization` headers as they came: Node keeps only the first of several. */
const authorizationsOf = (request: Request): string[] => request.headersDistinct['authorization'] ?? [];

const showBudget = (response: Response, { limit, left, resetSeconds }: Budget) => {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', left);
  response.setHeader('RateLimit-Reset', resetSeconds);
};

interface GateOptions {
  admission: Admission;
  usage: KeyUsage;
  /** What needs no key; it is counted like everything else. */
  isOpen: (request: Request) => boolean;
}

/** Lets a request in, or not: key, addresses, team and both budgets in one round trip. */
export const gate =
  ({ admission, usage, isOpen }: GateOptions): RequestHandler =>
  async (request, response, next) => {
    const { exchange } = request;
    const key = readKey(authorizationsOf(request));
    if (key) exchange.keyPrefix = key.prefix;

    const entry = await admission.admit(key, addressOf(request));
    exchange.entry = entry;
    showBudget(response, entry.budget);

    if (entry.outcome === 'limited') fail('rate_limited', { retry_after: entry.budget.resetSeconds });
    if (entry.outcome === 'admitted') usage.note(entry.key);
    if (!isOpen(request)) {
      if (entry.outcome === 'unauthorized') fail('unauthorized');
      if (entry.outcome === 'disabled') fail('api_disabled');
    }
    exchange.passed = true;
    next();
  };
