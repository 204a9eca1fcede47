// REST, SCIM and MCP share this: they admit a request by its key, count it in the budgets, and record its end.

import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../core/log.ts';
import { english } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import {
  readKey,
  type AdmittedKey,
  type Admission,
  type Budgets,
  type GateDecision,
  type NamedBudget,
} from '../../modules/keys/admission.ts';
import { countFurther } from '../../modules/keys/further-requests.ts';
import { requestDetails, type RequestDetails, type RequestLog } from '../../modules/requests/writer.ts';
import type { Platform, Team } from '../../platform/team.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import { accessLog, addressOf, type Lifecycle, type MaintenanceState, type RequestContext } from './request-context.ts';

/** The parts that requests with a key need, over REST, SCIM and MCP. */
export interface KeyedParts {
  platform: Platform;
  log: Logger;
  lifecycle: Lifecycle;
  maintenance: MaintenanceState;
  admission: Admission;
  /** Stores the entries of requests for the team's request log. */
  requestLog?: Pick<RequestLog, 'note'>;
  telemetry?: Telemetry;
}

declare module './request-context.ts' {
  interface RequestContext {
    /** The public prefix of the key in the request; never the secret. */
    keyPrefix?: string;
    /** The caller's address. It is read when the request arrives, because a closed connection has none. */
    address?: string;
    decision?: GateDecision;
    /** Whether the request was admitted. */
    passed?: true;
  }
}

const windowSeconds = 60;

/** `"key";r=98;t=31, "team";r=412;t=31`: the rest of each budget, and the seconds until it starts again. */
export const rateLimitOf = (budgets: readonly NamedBudget[]): string =>
  budgets.map(({ name, left, resetSeconds }) => `"${name}";r=${left};t=${resetSeconds}`).join(', ');

/** `"key";q=120;w=60, "team";q=600;w=60`: the size of each budget, and of its window in seconds. */
export const rateLimitPolicyOf = (budgets: readonly NamedBudget[]): string =>
  budgets.map(({ name, limit }) => `"${name}";q=${limit};w=${windowSeconds}`).join(', ');

/**
 * The contract's headers show one budget. The fields of draft-ietf-httpapi-ratelimit-headers show every budget in which
 * the request counts.
 */
const showBudget = (response: Response, { budget: { limit, left, resetSeconds }, budgets }: Budgets) => {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', left);
  response.setHeader('RateLimit-Reset', resetSeconds);
  response.setHeader('RateLimit', rateLimitOf(budgets));
  response.setHeader('RateLimit-Policy', rateLimitPolicyOf(budgets));
};

/**
 * Asks the gate about the key of a request: it decides on key, addresses, team and both budgets, in one round trip.
 * Refuses a request that exceeds a budget.
 */
export const admitKey = async (admission: Admission, request: Request, response: Response): Promise<GateDecision> => {
  const { context } = request;
  // All `Authorization` headers, because `headers` has only the first of several.
  const key = readKey(request.headersDistinct['authorization'] ?? []);
  if (key) context.keyPrefix = key.prefix;
  context.address = addressOf(request);
  const decision = await admission.admit(key, context.address);
  context.decision = decision;
  showBudget(response, decision);
  return decision.outcome === 'limited'
    ? fail('rate_limited', { retry_after: decision.budget.resetSeconds })
    : decision;
};

export const admittedKey = (decision: GateDecision): AdmittedKey => {
  if (decision.outcome === 'disabled') fail('api_disabled');
  return decision.outcome === 'admitted' ? decision.key : fail('unauthorized');
};

/**
 * Counts the further requests of a call in the budgets of its key, and sets the headers to the new state of these
 * budgets.
 */
export const countingFurther =
  ({ res }: Request, team: Team, { id }: AdmittedKey) =>
  async (requests: number): Promise<void> => {
    if (requests < 1) return;
    const counted = await countFurther(team, id, requests);
    if (res) showBudget(res, counted);
    if (counted.isCounted) return;
    fail('rate_limited', {
      retry_after: counted.budget.resetSeconds,
      detail: english(`It counts as ${requests + 1} requests, and so many are not left. It had no effect.`),
    });
  };

export const teamOf = (
  key: AdmittedKey,
  { requestId, address }: Pick<RequestContext, 'requestId' | 'address'>,
  platform: Platform,
): Team => ({
  id: key.tenantId,
  privacy: { memberDetail: key.memberDetail, leaderboard: key.leaderboard },
  rateLimitPerMin: key.teamLimit,
  actor: { kind: 'key', id: key.id },
  requestId,
  address,
  platform,
});

/** The details of a request for the team's log of requests. */
const detailsOf = (request: Request): RequestDetails =>
  requestDetails({
    target: request.originalUrl,
    address: request.context.address,
    userAgent: request.headers['user-agent'],
    problem: request.context.problemMembers,
  });

interface Observers {
  log: Logger;
  telemetry: Telemetry;
  requestLog?: Pick<RequestLog, 'note'> | undefined;
}

/** At the end of a request: log, metrics, traces, and the log of requests that the team can read. */
export const recordEnd = ({ log, telemetry, requestLog }: Observers): RequestHandler =>
  accessLog({
    log,
    telemetry,
    callerOf: ({ context: { tenantId, decision, keyPrefix, personId } }) => ({
      tenantId: tenantId ?? decision?.key?.tenantId,
      fields: { key_prefix: keyPrefix, person_id: personId },
    }),
    onEnd(request, { status, ms }) {
      const { method, context } = request;
      const { requestId, decision, passed, route, problem } = context;
      if (problem !== undefined && !passed) telemetry.meter.refusals.inc({ code: problem });
      const key = decision?.key;
      if (!key) return;
      const { tenantId, id: keyId } = key;
      const outcome = { method, route, status, code: problem, ms, refusedAtGate: !passed };
      requestLog?.note({ tenantId, keyId, requestId, ...outcome, ...detailsOf(request) });
    },
  });
