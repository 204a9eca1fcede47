import { createMcpHandler } from '@modelcontextprotocol/server';
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from '../../core/log.ts';
import { limits } from '../../core/limits.ts';
import { fail, Problem } from '../../core/problem.ts';
import { serviceName } from '../../core/product.ts';
import { readBody } from '../http/bodies.ts';
import { admitKey, admittedKey, recordEnd, teamOf, type KeyedParts } from '../http/key-requests.ts';
import {
  addressOf,
  arrival,
  noteProblem,
  problemResponse,
  refuseDuringMaintenance,
  writeAnswer,
  negotiateLanguage,
} from '../http/request-context.ts';
import { teamFor } from '../app/trpc.ts';
import { beyondTeams } from '../../db/row-security.ts';
import { assistantScopes } from '../../modules/assistants/schema.ts';
import { holderOf, isAccessToken } from '../../modules/assistants/tokens.ts';
import { scopesOfRole } from '../../modules/sign-ins/visitor.ts';
import { spendTry } from '../../modules/sign-ins/tries.ts';
import { apiIsOn, type Platform } from '../../platform/team.ts';
import { readJson } from '../rest/read-input.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import type { ToolCaller } from './caller.ts';
import { resourceMetadataPath } from './oauth.ts';
import { makeMcpServer } from './protocol.ts';

declare module '../http/request-context.ts' {
  interface RequestContext {
    /** A caller that was admitted to the tools. */
    caller?: ToolCaller;
  }
}

export interface McpParts extends KeyedParts {
  telemetry: Telemetry;
}

/** The MCP server (Streamable HTTP, without sessions): the middlewares that a request passes, in this order. */
export const makeMcpApp = (parts: McpParts): Router => {
  const { platform, log, maintenance } = parts;
  const { publicUrl } = platform;
  return Router({ caseSensitive: true, strict: true })
    .use(arrival())
    .use(inLanguageOfAssistant)
    .use(recordEnd(parts))
    .use(refuseDuringMaintenance(maintenance))
    .use(refuseOtherOrigins(publicUrl))
    .use(refuseOtherMethods)
    .use(requireCaller(parts)) // identifies the caller by an assistant's token or a key, and counts in the budgets
    .use(answer(publicUrl, log)) // message → tool → operations → message
    .use(showWayIn(publicUrl))
    .use(problemResponse({ publicUrl, log }));
};

/** Assistants usually send no `Accept-Language`, or `*`: they get English. */
const inLanguageOfAssistant: RequestHandler = (request, response, next) => {
  const language = negotiateLanguage(request.headers['accept-language'], 'en');
  request.context = { ...request.context, language };
  response.setHeader('Content-Language', language);
  next();
};

/**
 * Another site may have made its own host name lead to this server (DNS rebinding), so that browsers of its visitors
 * send requests here. Only browsers send `Origin`.
 */
const refuseOtherOrigins = (publicUrl: string): RequestHandler => {
  const own = new URL(publicUrl).origin;
  return ({ headers: { origin } }, _response, next) => {
    if (origin !== undefined && origin !== own) fail('bad_request', { status: 403 });
    next();
  };
};

/** Messages are posted. There is no stream to open with GET and no session to end with DELETE. */
const refuseOtherMethods: RequestHandler = ({ method }, response, next) => {
  if (method !== 'POST') {
    response.setHeader('Allow', 'POST');
    fail('bad_request', { status: 405 });
  }
  next();
};

// Admission

/** Without a valid token, the refusal names the address of the document that says where to get one (RFC 9728). */
const showWayIn =
  (publicUrl: string): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (error instanceof Problem && error.code === 'unauthorized') {
      const cause = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
      const metadata = `resource_metadata="${publicUrl}${resourceMetadataPath}"`;
      response.setHeader('WWW-Authenticate', `Bearer realm="${serviceName}"${cause}, ${metadata}`);
    }
    next(error);
  };

const requireCaller = (parts: McpParts): RequestHandler => {
  const [enterWithKey, enterWithToken] = [keyDoor(parts), tokenDoor(parts)];
  return async (request, response, next) => {
    // The gate handles all requests without a valid token, and counts the failures of an address.
    if (!(await enterWithToken(request))) await enterWithKey(request, response);
    next();
  };
};

/**
 * The token in the `Authorization` header, if we made it. Any other text goes to the gate as a key, without a look-up
 * of a token.
 */
const tokenOf = (platform: Platform, { headersDistinct }: Request): string | undefined => {
  const [only = '', ...more] = headersDistinct['authorization'] ?? [];
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(only) ?? [];
  return more.length === 0 && isAccessToken(platform, token) ? token : undefined;
};

/**
 * Admits a person's assistant. It acts as that person in the one team that they chose, with the rights that the person
 * has there at this moment. Each operation counts for the person and for the team, just as requests count for a key and
 * its team.
 */
const tokenDoor =
  ({ platform }: McpParts) =>
  async (request: Request): Promise<boolean> => {
    const { context } = request;
    const token = tokenOf(platform, request);
    const holder = token === undefined ? undefined : await beyondTeams('caller', () => holderOf(platform, token));
    if (!holder) return false;
    const { personId, membership } = holder;
    context.personId = personId;
    const team = teamFor(platform, membership, { requestId: context.requestId, address: addressOf(request) });
    const countOperation = async (): Promise<void> => {
      const { database } = platform;
      const max = limits.requestsPerKeyPerMinute;
      await spendTry(database, { what: 'assistants of', whom: personId, max, seconds: 60 });
      await spendTry(database, { what: 'assistants in', whom: team.id, max: team.rateLimitPerMin, seconds: 60 });
    };
    await countOperation();
    if (!apiIsOn(membership)) fail('api_disabled');
    context.passed = true;
    context.tenantId = team.id;
    const ofRole = scopesOfRole[membership.role];
    context.caller = {
      team,
      principal: { kind: 'person', scopes: new Set(assistantScopes.filter((scope) => ofRole.has(scope))) },
      language: context.language,
      countOperation,
    };
    return true;
  };

/** The body of a request, with the same checks as in the REST API. */
const objectOf = (type: string | undefined, body: Buffer): Record<string, unknown> => {
  const { values, flaws } = readJson(type, body);
  return flaws.length > 0 ? fail('validation_error', { errors: flaws }) : values;
};

/** Admits a request with a key as the public API does. Each further operation of the request passes the gate again. */
const keyDoor =
  ({ platform, admission }: McpParts) =>
  async (request: Request, response: Response): Promise<void> => {
    const { context } = request;
    const admit = async () => admittedKey(await admitKey(admission, request, response));
    const key = await admit();
    context.passed = true;
    context.caller = {
      team: teamOf(key, context, platform),
      principal: { kind: 'key', scopes: key.scopes },
      language: context.language,
      countOperation: async () => void (await admit()),
    };
  };

// Messages

/** The headers that the protocol reads and writes. */
const spokenHeaders = /^(accept|content-type|mcp-[\w-]+)$/;
const answeredHeaders = /^(allow|mcp-[\w-]+)$/;

const asWebRequest = ({ headers }: Request, url: string): globalThis.Request => {
  const spoken = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && spokenHeaders.test(name)) spoken.set(name, value);
  }
  return new Request(url, { method: 'POST', headers: spoken });
};

const writeResponse = async (request: Request, response: Response, given: globalThis.Response): Promise<void> => {
  response.statusCode = given.status;
  for (const [name, value] of given.headers) if (answeredHeaders.test(name)) response.setHeader(name, value);
  const text = await given.text();
  if (text === '') response.end();
  else await writeAnswer(request, response, { type: given.headers.get('content-type') ?? 'application/json', text });
};

/** Answers one message. Lists of messages are refused, because a whole list would count as one request. */
const answer =
  (publicUrl: string, log: Logger): RequestHandler =>
  async (request, response) => {
    const { context } = request;
    if (request.path !== '/') fail('not_found');
    context.route = '/mcp';
    const caller = context.caller ?? fail('unauthorized');
    const reports = {
      called: (tool: string) => {
        context.route = `/mcp/${tool}`;
      },
      refused: (problem: Problem, error: unknown) => {
        noteProblem(context, problem);
        if (problem.code === 'internal') log.error({ request_id: context.requestId, err: error }, 'unexpected error');
      },
    };
    // The list of tools never changes while a client is connected, so clients can't subscribe to changes.
    const handler = createMcpHandler(() => makeMcpServer(caller, reports), { maxSubscriptions: 0 });
    const parsedBody = objectOf(request.headers['content-type'], await readBody(request));
    const given = await handler.fetch(asWebRequest(request, `${publicUrl}/mcp`), { parsedBody });
    await writeResponse(request, response, given);
  };
