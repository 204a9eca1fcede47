import { getTRPCErrorFromUnknown } from '@trpc/server';
import type { AnyRouter, TRPCError } from '@trpc/server';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { limits } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { networkOf, WindowCounter } from '../core/window-counter.ts';
import { fail, Problem, problemDetails } from '../core/problem.ts';
import { allScopes } from '../core/scopes.ts';
import type { Scope } from '../core/scopes.ts';
import { accessLog } from '../http/access-log.ts';
import { addressOf } from '../http/address.ts';
import { readBody } from '../http/bodies.ts';
import type { MaintenanceState } from '../http/exchange.ts';
import { appRouter } from '../modules/app-router.ts';
import { publicRouter } from '../modules/public-router.ts';
import { entranceRouter } from '../modules/sessions/app.ts';
import type { TeamOfPerson } from '../modules/sessions/schema.ts';
import { makeDoor, refusalFor, SessionMemory, visitorOf } from '../modules/sessions/service.ts';
import type { Auth, Door, Reported, Visitor } from '../modules/sessions/service.ts';
import type { Platform, Team, Person } from '../platform/team.ts';
import { callsWhileInactiveOf, safetyCallsOf } from '../trpc/operation.ts';
import { appProblem, noteCaller, toldAs } from '../trpc/app-problem.ts';
import type { AppProblem } from '../trpc/app-problem.ts';
import type { KeyContext, PersonContext } from '../trpc/context.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { makePace, paceEntrance } from './pace.ts';
import type { PacedCaller } from './pace.ts';
import { sameOrigin } from './same-origin.ts';
import { writeWhole } from './whole-answer.ts';

declare module '../http/exchange.ts' {
  interface Exchange {
    /** The team and the person, once they are known. */
    tenantId?: string;
    personId?: string;
  }
}

interface TrpcParts {
  platform: Platform;
  auth: Auth;
  log: Logger;
  telemetry: Telemetry;
  maintenance: MaintenanceState;
  signInRatePerMin: number;
}

/** Refusals: 200 a second, so that a flood of them leaves time for everybody else's calls. After a while one is given anyway. */
const refusals = { atOnce: 2, ofStrangers: 1, mostOfStrangers: 2, refusedAtOnce: 8, patienceMs: 1_500 };

/** How long a call may go on working after its caller left before its turn goes to another call. */
const abandonedMs = 60_000;

/** Names the team that a page is about. */
const teamHeader = 'x-team';

/** Procedures are called with these; tRPC itself refuses one that doesn't fit the procedure. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

const safetyCalls = safetyCallsOf(entranceRouter);
const callsWhileInactive = callsWhileInactiveOf(appRouter);

/** What somebody may do of what keys can: owner and admins everything, members only what is about nobody else. */
const scopesOf: Readonly<Record<Person['role'], ReadonlySet<Scope>>> = {
  owner: new Set(allScopes),
  admin: new Set(allScopes),
  member: new Set<Scope>(['catalog:read', 'analytics:read']),
};

/** The team in which a signed-in person acts. */
export const teamFor = (platform: Platform, membership: TeamOfPerson, requestId: string): Team => ({
  id: membership.tenantId,
  privacy: { memberDetail: membership.memberDetail, leaderboard: membership.leaderboard },
  actor: { kind: 'person', userId: membership.userId },
  rateLimitPerMin: membership.rateLimitPerMin,
  requestId,
  platform,
});

const metaOf = ({ status, retry_after }: AppProblem): { status: number; headers: Record<string, string> } => ({
  status,
  headers: retry_after === undefined ? {} : { 'Retry-After': String(retry_after) },
});

/** Who asks, in which of their teams. Asked of the database every time: a membership that ended is no way in. */
const inside = async (
  door: Door,
  visitor: Visitor,
  { headers, exchange, method }: Request,
  { whileInactive = false } = {},
): Promise<PersonContext> => {
  const signedIn = (await visitor.signedIn()) ?? fail('unauthorized');
  await door.countCall(visitor, signedIn);
  const membership = signedIn.teams.find(({ tenantId }) => tenantId === headers[teamHeader]) ?? fail('unauthorized');
  if (membership.isBeingDeleted || (membership.status !== 'active' && !whileInactive)) fail('api_disabled');
  if (method !== 'GET') await door.countChange(visitor, membership.tenantId);
  exchange.tenantId = membership.tenantId;
  exchange.personId = membership.userId;
  const { memberId, userId, role, rights } = membership;
  const person = { memberId, userId, role, rights };
  return {
    team: teamFor(visitor.platform, membership, exchange.requestId),
    person,
    refusalOf: (need) => refusalFor(person, need),
    language: visitor.language,
    answering: exchange.answering,
  };
};

/** The app's procedures over HTTP: the entrance, what only the app has, and everything that the public API has. */
export const trpcApp = ({ platform, auth, log, telemetry, maintenance, signInRatePerMin }: TrpcParts): Router => {
  const { meter } = telemetry;
  const sessions = new SessionMemory();
  const door = makeDoor(signInRatePerMin, sessions);
  const refusalPace = makePace(refusals);
  const report = (request: Request, { event, personId, account, again }: Reported): void => {
    meter.signIn(event);
    if (again) return;
    const { requestId } = request.exchange;
    const line = { event, address: addressOf(request), person_id: personId, account, request_id: requestId };
    log[event === 'signed_in' || event === 'reset_asked' ? 'info' : 'warn'](line, 'sign-in');
  };
  const foreign = new WindowCounter({ seconds: 60 });
  const visitors = new WeakMap<Request, Visitor>();
  const visitorFrom = (request: Request, response: Response): Visitor => {
    const known = visitors.get(request);
    if (known) return known;
    const visitor = visitorOf(platform, auth, {
      cookie: request.headers.cookie,
      userAgent: request.headers['user-agent'],
      address: addressOf(request),
      language: request.exchange.language,
      setCookies: (cookies) => response.append('Set-Cookie', cookies),
      sessions,
      report: (reported) => report(request, reported),
    });
    visitors.set(request, visitor);
    return visitor;
  };
  /** By what we signed and what memory holds: the database is not asked. */
  const pacedAs = ({ sessionToken: token, claimedBrowsers: [browser], address }: Visitor): PacedCaller => {
    if (token !== undefined) return { isKnown: true, group: sessions.ownerOf(token)?.personId ?? token };
    return browser ? { isKnown: true, group: browser.personId } : { isKnown: false, group: networkOf(address) };
  };

  const refuse = (request: Request, response: Response, caught: unknown): void => {
    if (response.destroyed) return;
    const error = getTRPCErrorFromUnknown(caught);
    tell(log, request, { error, path: undefined });
    const problem = appProblem(error, request.exchange.language, request.exchange.requestId);
    const { status, headers } = metaOf(problem);
    response
      .status(status)
      .set(headers)
      .json({ error: toldAs({ message: '', code: -32_603 }, problem) });
  };

  /** The caller is found before tRPC runs, so that strangers and callers beyond a limit cost as little as possible. */
  const serve = <Context extends object>(
    router: AnyRouter,
    contextFor: (visitor: Visitor, request: Request) => Promise<Context> | Context,
    { where, bodyBytes = limits.bodyBytes }: { where: 'entrance' | 'inside'; bodyBytes?: number },
  ): RequestHandler => {
    const contexts = new WeakMap<Request, Context>();
    const procedures = createExpressMiddleware({
      router,
      allowBatching: false,
      maxBodySize: bodyBytes,
      createContext: ({ req }) => contexts.get(req) ?? fail('unauthorized'),
      responseMeta: ({ errors: [error] }) => (error ? metaOf(appProblem(error, 'de', '')) : {}),
      // Called before the error is formatted.
      onError: ({ error, req, path }) => {
        noteCaller(error, req.exchange);
        tell(log, req, { error, path });
      },
    });
    return async (request, response, next) => {
      // Only names of procedures: a path that somebody invents must not become a metric of its own.
      if (Object.hasOwn(router._def.procedures, request.path.slice(1))) {
        request.exchange.route = request.baseUrl + request.path;
      }
      const visitor = visitorFrom(request, response);
      let endTurn = (): void => undefined;
      try {
        const isSafety = where === 'entrance' && safetyCalls.has(request.path.slice(1));
        // Before anything that costs more than a look into memory.
        door.needCall(visitor, { where, isChange: request.method !== 'GET', isSafety });
        // tRPC makes a URL and a request of these, and fails on some.
        if (!methods.has(request.method) || !/^\/[^/]+$/.test(request.path)) fail('not_found');
        // Before a turn is taken: a body that never becomes complete must not hold one. tRPC takes the text as the body.
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          request.body = (await readBody(request, bodyBytes)).toString();
        }
        endTurn = await door.takeTurn(visitor, {
          teamId: where === 'inside' ? request.get(teamHeader) : undefined,
          isSafety,
        });
      } catch (caught) {
        const answer = () => refuse(request, response, caught);
        refusalPace(pacedAs(visitor), { begin: answer, refuse: answer, isGone: () => response.destroyed });
        return;
      }
      if (response.destroyed) {
        endTurn();
        return;
      }
      try {
        contexts.set(request, await contextFor(visitor, request));
      } catch (caught) {
        endTurn();
        refuse(request, response, caught);
        return;
      }
      // tRPC ends the answer once its work is done, also for a caller who has left meanwhile. Until then the call keeps its turn:
      // leaving is no way to have more calls at work. The timer is for work that never ends.
      response.once('close', () => {
        if (!response.writableEnded) setTimeout(endTurn, abandonedMs).unref();
      });
      const answered = (bytes: number): void => {
        if (bytes < limits.largeReads.fromBytes) endTurn();
        else setTimeout(endTurn, bytes / limits.appBytesPerTurnAndMs).unref();
      };
      writeWhole(request, response, answered, (caught) => {
        const error = getTRPCErrorFromUnknown(caught);
        tell(log, request, { error, path: request.path.slice(1) });
        const problem = appProblem(error, request.exchange.language, request.exchange.requestId);
        return {
          status: problem.status,
          body: JSON.stringify({ error: toldAs({ message: '', code: -32_603 }, problem) }),
        };
      });
      procedures(request, response, next);
    };
  };

  return Router()
    .use(
      accessLog({
        log,
        telemetry,
        callerOf: ({ exchange: { tenantId, personId } }) => ({ tenantId, fields: { person_id: personId } }),
      }),
    )
    .use((request, response, next) => {
      const { current } = maintenance;
      if (!current) return next();
      const { maintenance: detail } = problemDetails;
      refuse(request, response, new Problem('unavailable', { detail, retry_after: current.retryAfterSeconds }));
    })
    .use(
      sameOrigin(platform.publicUrl, (request) => {
        const again = foreign.count(networkOf(addressOf(request))).used > 1;
        report(request, { event: 'origin_refused', personId: undefined, account: undefined, again });
      }),
    )
    .use(
      '/entrance',
      paceEntrance((request, response) => pacedAs(visitorFrom(request, response)), refuse),
    )
    .use(
      '/entrance',
      serve(
        entranceRouter,
        async (visitor, { exchange, method }) => {
          // A change is counted apart, by `change`.
          const signedIn = method === 'GET' ? await visitor.signedIn() : undefined;
          if (signedIn) await door.countCall(visitor, signedIn);
          return {
            visitor,
            requestId: exchange.requestId,
            change: <T>(change: { hashes: boolean; safety: boolean }, action: () => Promise<T>) =>
              door.change(visitor, change, action),
            asStranger: <T>(action: () => Promise<T>) => door.asStranger(visitor, action),
          };
        },
        { where: 'entrance', bodyBytes: limits.entranceBodyBytes },
      ),
    )
    .use(
      '/app',
      serve(
        appRouter,
        (visitor, request) =>
          inside(door, visitor, request, { whileInactive: callsWhileInactive.has(request.path.slice(1)) }),
        { where: 'inside' },
      ),
    )
    .use(
      '/api',
      serve(
        publicRouter,
        async (visitor, request): Promise<KeyContext> => {
          const { team, person, language, answering } = await inside(door, visitor, request);
          return { team, language, answering, principal: { kind: 'person', scopes: scopesOf[person.role] } };
        },
        { where: 'inside' },
      ),
    );
};

interface Failure {
  error: TRPCError;
  path: string | undefined;
}

/** What nobody foresaw is told to the operator, under the id that the person is shown. */
const tell = (log: Logger, { exchange }: Request, { error, path }: Failure): void => {
  const { code } = appProblem(error, 'de', '');
  exchange.problem = code === 'forbidden' ? 'insufficient_scope' : code;
  const line = { request_id: exchange.requestId, procedure: path, err: error.cause ?? error };
  if (code === 'internal') log.error(line, 'unexpected error');
  // During maintenance every call is refused.
  if (code === 'unavailable' && !(error.cause instanceof Problem)) log.warn(line, 'database unavailable');
};
