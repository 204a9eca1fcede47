import { getTRPCErrorFromUnknown } from '@trpc/server';
import type { AnyRouter, TRPCError } from '@trpc/server';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import type { Language } from '../core/language.ts';
import { limits } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { fail } from '../core/problem.ts';
import { allScopes } from '../core/scopes.ts';
import type { Scope } from '../core/scopes.ts';
import { addressOf } from '../http/address.ts';
import { appRouter } from '../modules/app-router.ts';
import { publicRouter } from '../modules/public-router.ts';
import { entranceRouter } from '../modules/sessions/app.ts';
import type { TeamOfPerson } from '../modules/sessions/schema.ts';
import { needCall, needTryFromHere, visitorOf } from '../modules/sessions/service.ts';
import type { Auth, Visitor } from '../modules/sessions/service.ts';
import type { Answering } from '../platform/large-reads.ts';
import type { Platform } from '../platform/platform.ts';
import type { Team } from '../platform/team.ts';
import { appProblem, toldAs } from '../trpc/app-problem.ts';
import type { AppProblem } from '../trpc/app-problem.ts';
import type { Person } from '../trpc/app-operation.ts';
import { sameOrigin } from './same-origin.ts';
import { writeWhole } from './whole-answer.ts';

interface TrpcParts {
  platform: Platform;
  auth: Auth;
  log: Logger;
  signInRatePerMin: number;
}

/** Names the team that a page is about. */
const teamHeader = 'x-team';

/** What somebody may do of what keys can: owner and admins everything, members only what is about nobody else. */
const scopesOf: Readonly<Record<Person['role'], ReadonlySet<Scope>>> = {
  owner: new Set(allScopes),
  admin: new Set(allScopes),
  member: new Set<Scope>(['catalog:read', 'analytics:read']),
};

const teamFor = (platform: Platform, membership: TeamOfPerson, requestId: string): Team => ({
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

interface Inside {
  readonly team: Team;
  readonly person: Person;
  readonly language: Language;
  readonly answering: Answering;
}

/** Who asks, in which of their teams. Asked of the database every time: a membership that ended is no way in. */
const inside = async (visitor: Visitor, { headers, exchange }: Request): Promise<Inside> => {
  const signedIn = (await visitor.signedIn()) ?? fail('unauthorized');
  await needCall(visitor, signedIn);
  const membership = signedIn.teams.find(({ tenantId }) => tenantId === headers[teamHeader]) ?? fail('unauthorized');
  if (membership.status !== 'active') fail('api_disabled');
  const { memberId, userId, role, rights } = membership;
  return {
    team: teamFor(visitor.platform, membership, exchange.requestId),
    person: { memberId, userId, role, rights },
    language: visitor.language,
    answering: exchange.answering,
  };
};

/** The app's procedures over HTTP: the entrance, what only the app has, and everything that the public API has. */
export const trpcApp = ({ platform, auth, log, signInRatePerMin }: TrpcParts): Router => {
  const visitorFrom = (request: Request, response: Response): Visitor =>
    visitorOf(platform, auth, {
      cookie: request.headers.cookie,
      userAgent: request.headers['user-agent'],
      address: addressOf(request),
      language: request.exchange.language,
      setCookies: (cookies) => response.append('Set-Cookie', cookies),
    });

  /** Who asks is known before tRPC is asked: it could only say in German, and under no id, that nobody is signed in. */
  const serve = <Context extends object>(
    router: AnyRouter,
    contextFor: (visitor: Visitor, request: Request) => Promise<Context> | Context,
  ): RequestHandler => {
    const contexts = new WeakMap<Request, Context>();
    const procedures = createExpressMiddleware({
      router,
      allowBatching: false,
      maxBodySize: limits.bodyBytes,
      createContext: ({ req }) => contexts.get(req) ?? fail('unauthorized'),
      responseMeta: ({ errors: [error] }) => (error ? metaOf(appProblem(error, 'de', '')) : {}),
      onError: ({ error, req, path }) => tell(log, req, { error, path }),
    });
    return async (request, response, next) => {
      try {
        contexts.set(request, await contextFor(visitorFrom(request, response), request));
      } catch (caught) {
        const error = getTRPCErrorFromUnknown(caught);
        tell(log, request, { error, path: undefined });
        const problem = appProblem(error, request.exchange.language, request.exchange.requestId);
        const { status, headers } = metaOf(problem);
        response
          .status(status)
          .set(headers)
          .json({ error: toldAs({ message: '', code: -32_603 }, problem) });
        return;
      }
      writeWhole(request, response, (caught) => {
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
    .use(sameOrigin(platform.publicUrl))
    .use(
      '/entrance',
      serve(entranceRouter, async (visitor, { method, exchange }) => {
        if (method !== 'GET') await needTryFromHere(visitor, { triesPerAddress: signInRatePerMin });
        return { visitor, requestId: exchange.requestId };
      }),
    )
    .use('/app', serve(appRouter, inside))
    .use(
      '/api',
      serve(publicRouter, async (visitor, request) => {
        const { team, person, language, answering } = await inside(visitor, request);
        return { team, language, answering, principal: { kind: 'person' as const, scopes: scopesOf[person.role] } };
      }),
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
  if (code === 'unavailable') log.warn(line, 'database unavailable');
};
