import { getTRPCErrorFromUnknown, type AnyRouter, type TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { limits, signInLimits, httpLimits } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { beyondTeams } from '../../db/row-security.ts';
import { problemOf } from '../../db/unavailable.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { networkOf } from '../../core/address.ts';
import { WindowCounter } from '../../core/ttl-map.ts';
import { isOwnShareInUse } from '../../core/own-share.ts';
import { fail, Problem } from '../../core/problem.ts';
import { putIn } from '../../core/json.ts';
import { readBody } from '../http/bodies.ts';
import {
  accessLog,
  addressOf,
  endWith,
  requireAnswerSize,
  releaseSlotAfter,
  type MaintenanceState,
} from '../http/request-context.ts';
import { appRouter } from '../../modules/app-router.ts';
import { publicRouter } from '../../modules/public-router.ts';
import { entranceRouter } from '../../modules/sign-ins/app.ts';
import type { TeamOfPerson } from '../../modules/reporting/store.ts';
import { CallLimits } from '../../modules/sign-ins/call-limits.ts';
import {
  hasFreshProof,
  refusalFor,
  scopesOfRole,
  visitorOf,
  type SignInReport,
  type Visitor,
} from '../../modules/sign-ins/visitor.ts';
import type { Auth } from '../../modules/sign-ins/library.ts';
import { spendTry } from '../../modules/sign-ins/tries.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import { appProblem, noteCaller, errorShapeOf, type AppProblem } from '../../platform/trpc/app-problem.ts';
import type { KeyContext, PersonContext } from '../../platform/trpc/context.ts';
import { namesMarked } from '../../platform/trpc/procedures.ts';

interface TrpcParts {
  platform: Platform;
  auth: Auth;
  log: Logger;
  telemetry: Telemetry;
  maintenance: MaintenanceState;
}

/** How long a call keeps its slot at most after its caller has left. */
const abandonedMs = 60_000;

/** The header with the id of the team that a page shows. */
const teamHeader = 'x-team';

/** The methods that a call may have. tRPC itself refuses one of them if it doesn't fit the called procedure. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

const callsWhileInactive = namesMarked(appRouter, 'whileInactive');

/** The team in which a signed-in person acts. */
export const teamFor = (
  platform: Platform,
  membership: TeamOfPerson,
  { requestId, address }: { requestId: string; address: string },
): Team => ({
  id: membership.tenantId,
  privacy: { memberDetail: membership.memberDetail, leaderboard: membership.leaderboard },
  actor: { kind: 'person', userId: membership.userId },
  rateLimitPerMin: membership.rateLimitPerMin,
  requestId,
  address,
  platform,
});

const metaOf = ({ status, retry_after }: AppProblem): { status: number; headers: Record<string, string> } => ({
  status,
  headers: retry_after === undefined ? {} : { 'Retry-After': String(retry_after) },
});

const errorBody = (problem: AppProblem) => ({ error: errorShapeOf({ message: '', code: -32_603 }, problem) });

/** Changes of all people of a team count together: like requests with keys, they may raise events and are audited. */
const countChange = (visitor: Visitor, tenantId: string): Promise<void> =>
  spendTry(visitor.platform.database, {
    what: 'changes in',
    whom: tenantId,
    max: signInLimits.changesPerTeamPerMinute,
    seconds: 60,
    detail: accessMessages.teamChanges,
    onRefused: (first) => visitor.report('limited', { repeated: !first }),
  });

/**
 * The caller's person and team. They are read from the database for every call, because a membership may have ended.
 */
const inside = async (visitor: Visitor, request: Request, { whileInactive = false } = {}): Promise<PersonContext> => {
  const { headers, context, method } = request;
  const signedIn = (await beyondTeams('caller', () => visitor.signedIn())) ?? fail('unauthorized');
  context.personId = signedIn.personId;
  const membership = signedIn.teams.find(({ tenantId }) => tenantId === headers[teamHeader]) ?? fail('unauthorized');
  context.tenantId = membership.tenantId;
  if (membership.isBeingDeleted || (membership.status !== 'active' && !whileInactive)) fail('api_disabled');
  if (method !== 'GET') await countChange(visitor, membership.tenantId);
  const { memberId, userId, role, rights } = membership;
  const person = { memberId, userId, role, rights };
  return {
    team: teamFor(visitor.platform, membership, { requestId: context.requestId, address: addressOf(request) }),
    person,
    refusalOf: (need) => refusalFor(person, need),
    hasFreshProof: hasFreshProof(visitor.platform, signedIn),
    way: signedIn.way,
    language: visitor.language,
    answerProgress: context.answerProgress,
  };
};

/** Returns the function that counts and logs the reports of signing in. */
const makeReport =
  (meter: Telemetry['meter'], log: Logger) =>
  (request: Request, { event, personId, account, repeated }: SignInReport): void => {
    meter.signInEvents.inc({ event });
    if (repeated) return;
    const { requestId } = request.context;
    const line = { event, address: addressOf(request), person_id: personId, account, request_id: requestId };
    log[event === 'signed_in' || event === 'reset_asked' ? 'info' : 'warn'](line, 'sign-in');
  };

/** Returns the function that makes the visitor of a request. */
const makeVisitorOf =
  ({ platform, auth }: TrpcParts, report: ReturnType<typeof makeReport>) =>
  (request: Request, response: Response): Visitor =>
    visitorOf(platform, auth, {
      cookie: request.headers.cookie,
      userAgent: request.headers['user-agent'],
      address: addressOf(request),
      language: request.context.language,
      setCookies: (cookies) => {
        if (!response.headersSent) response.append('Set-Cookie', cookies);
      },
      report: (reported) => report(request, reported),
    });

/** Returns the function that answers with the problem of an error, in the form of tRPC. */
const makeRefuse =
  (log: Logger) =>
  (request: Request, response: Response, caught: unknown): void => {
    if (response.destroyed) return;
    const error = getTRPCErrorFromUnknown(caught);
    logFailure(log, request, { error, path: undefined });
    const problem = appProblem(error, request.context);
    const { status, headers } = metaOf(problem);
    response.status(status).set(headers).json(errorBody(problem));
  };

interface ServeParts extends Pick<TrpcParts, 'platform' | 'log'> {
  visitorFrom: ReturnType<typeof makeVisitorOf>;
  refuse: ReturnType<typeof makeRefuse>;
}

/**
 * Returns the function that serves a router. That function finds the caller before tRPC runs, so that refused calls
 * cost as little as possible.
 */
const makeServe = ({ platform, log, visitorFrom, refuse }: ServeParts) => {
  const callLimits = new CallLimits(platform.signIn);
  // tRPC's adapter for Express would write the answer itself. Here the raw JSON parts are put into the answer first,
  // and its size is noted (`LargeReads`).
  const answerOf = (router: AnyRouter, request: Request, context: object): Promise<globalThis.Response> =>
    fetchRequestHandler({
      endpoint: '',
      req: asWebRequest(request, platform.publicUrl),
      router,
      allowBatching: false,
      createContext: () => context,
      responseMeta: ({ errors: [error] }) => (error ? metaOf(appProblem(error)) : {}),
      // Called before the error is formatted.
      onError: ({ error, path }) => {
        noteCaller(error, request.context);
        logFailure(log, request, { error, path });
      },
    });

  return (
    router: AnyRouter,
    contextFor: (visitor: Visitor, request: Request) => Promise<object> | object,
    { bodyBytes = limits.bodyBytes } = {},
  ): RequestHandler =>
    async (request, response) => {
      // Only names of procedures: an invented path or method must not become a metric of its own.
      if (methods.has(request.method) && Object.hasOwn(router._def.procedures, request.path.slice(1))) {
        request.context.route = request.baseUrl + request.path;
      }
      const visitor = visitorFrom(request, response);
      const turns = new DisposableStack();
      try {
        // This check comes first, because it needs only memory.
        callLimits.count(visitor);
        // tRPC makes a URL of the path and fails on some paths.
        if (!methods.has(request.method) || !/^\/[^/]+$/.test(request.path)) fail('not_found');
        // The body is read before the call takes a slot, so that a body that never ends does not hold one.
        if (request.method === 'POST') request.body = (await readBody(request, bodyBytes)).toString();
        turns.defer(await callLimits.turnOfSession(visitor));
        const context = await contextFor(visitor, request);
        // Only calls inside a team have a team's slot.
        const { tenantId } = request.context;
        if (tenantId !== undefined) turns.defer(await callLimits.turnOfTeam(tenantId, visitor));
        if (response.destroyed) return;
        // The call keeps its slots until its work is done, even if its caller has left. Otherwise a caller could run
        // more calls at once by leaving. The timer is for work that never ends.
        response.once('close', () => {
          if (!response.writableEnded) setTimeout(() => turns.dispose(), abandonedMs).unref();
        });
        const { status, headers, text, bytes } = await written(await answerOf(router, request, context));
        // The content of a change counts in the team's storage.
        if (tenantId !== undefined && request.method === 'POST' && status === 200)
          platform.storage.add(tenantId, 'stored', Buffer.byteLength(String(request.body)));
        request.context.answerProgress.written(bytes);
        if (response.destroyed) return;
        response.status(status).setHeaders(headers);
        await endWith(request, response, { text, bytes });
      } catch (caught) {
        refuse(request, response, caught);
      } finally {
        turns.dispose();
        releaseSlotAfter(request.context.answerProgress, response);
      }
    };
};

/** A person of a team as the caller of the public API's operations. */
const keyContextOf = ({ team, person, language, answerProgress }: PersonContext): KeyContext => ({
  team,
  language,
  answerProgress,
  principal: { kind: 'person', scopes: scopesOfRole[person.role] },
});

/** The app's procedures over HTTP: the entrance, the app's own procedures, and all operations of the public API. */
export const makeTrpcApp = (parts: TrpcParts): Router => {
  const { platform, log, telemetry, maintenance } = parts;
  const report = makeReport(telemetry.meter, log);
  const refuse = makeRefuse(log);
  const serve = makeServe({ platform, log, refuse, visitorFrom: makeVisitorOf(parts, report) });
  /** The refused changes of each network within a minute. Only the first one is logged. */
  const originRefusals = new WindowCounter({ seconds: 60 });

  return Router({ caseSensitive: true })
    .use(
      accessLog({
        log,
        telemetry,
        callerOf: ({ context: { tenantId, personId } }) => ({ tenantId, fields: { person_id: personId } }),
      }),
    )
    .use((request, response, next) => {
      const { current } = maintenance;
      if (!current) return next();
      const members =
        current === 'unknown' ? {} : { detail: accessMessages.maintenance, retry_after: current.retryAfterSeconds };
      refuse(request, response, new Problem('unavailable', members));
    })
    .use(
      sameOrigin(platform.publicUrl, (request) => {
        const repeated = originRefusals.count(networkOf(addressOf(request))).used > 1;
        report(request, { event: 'origin_refused', personId: undefined, account: undefined, repeated });
      }),
    )
    .use(
      '/entrance',
      (_request, _response, next) => beyondTeams('caller', async () => next()),
      serve(
        entranceRouter,
        async (visitor, { context, method }) => {
          if (method === 'GET') context.personId = (await visitor.signedIn())?.personId;
          return { visitor, requestId: context.requestId };
        },
        { bodyBytes: httpLimits.entranceBodyBytes },
      ),
    )
    .use(
      '/app',
      serve(appRouter, (visitor, request) =>
        inside(visitor, request, { whileInactive: callsWhileInactive.has(request.path.slice(1)) }),
      ),
    )
    .use(
      '/api',
      serve(publicRouter, async (visitor, request): Promise<KeyContext> =>
        keyContextOf(await inside(visitor, request)),
      ),
    );
};

interface FailedCall {
  error: TRPCError;
  path: string | undefined;
}

/** Logs an unexpected error with the request id that the person sees. */
const logFailure = (log: Logger, { context }: Request, { error, path }: FailedCall): void => {
  const { code } = appProblem(error);
  context.problem = code === 'forbidden' || code === 'proof_required' ? 'insufficient_scope' : code;
  if (isOwnShareInUse(problemOf(error.cause ?? error))) context.ownShareInUse = true;
  const line = { request_id: context.requestId, procedure: path, err: error.cause ?? error };
  if (code === 'internal') log.error(line, 'unexpected error');
  // During maintenance every call is refused with a `Problem`; a warning for each would only fill the log.
  if (code === 'unavailable' && !(error.cause instanceof Problem)) log.warn(line, 'database unavailable');
};

/** Whether an origin is the host of this request. If the public address has HTTPS, the origin needs it too. */
const isAtHost = (origin: string, host: string | undefined, publicUrl: string): boolean => {
  if (!URL.canParse(origin)) return false;
  const { host: named, protocol } = new URL(origin);
  return named === host && (protocol === 'https:' || !publicUrl.startsWith('https:'));
};

/** Whether one of our pages sent this request. The browser sets these headers; a page can't change them. */
const isOurs = ({ headers }: Request, publicUrl: string): boolean => {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  // A request with neither header comes from an old browser or from another program. In an old browser, SameSite
  // cookies and the required media type stop pages of other sites.
  return origin === undefined || origin === publicUrl || isAtHost(origin, host, publicUrl);
};

/** Refuses changes that a page of another site sends with this person's cookies. */
const sameOrigin =
  (publicUrl: string, onRefused: (request: Request) => void): RequestHandler =>
  (request, _response, next) => {
    if (request.method !== 'GET' && !isOurs(request, publicUrl)) {
      onRefused(request);
      fail('bad_request', { status: 403 });
    }
    if (request.method === 'POST' && !/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      fail('bad_request', { status: 415 });
    }
    next();
  };

/** The headers that tRPC reads. */
const readHeaders = ['content-type', 'trpc-accept'] as const;

/** A call in the form that tRPC's adapter takes. */
const asWebRequest = ({ method, url, headers, body }: Request, publicUrl: string): globalThis.Request => {
  const read = new Headers();
  for (const name of readHeaders) {
    const value = headers[name];
    if (typeof value === 'string') read.set(name, value);
  }
  return new Request(publicUrl + url, { method, headers: read, ...(method === 'POST' && { body: String(body) }) });
};

/** An answer of tRPC with its raw JSON parts. */
const written = async (answer: globalThis.Response) => {
  const text = putIn(await answer.text());
  const bytes = Buffer.byteLength(text);
  requireAnswerSize(bytes);
  // tRPC's `Vary` would replace that of all answers, and names only the headers on which tRPC's streams depend.
  answer.headers.delete('Vary');
  return { status: answer.status, headers: answer.headers, text, bytes };
};
