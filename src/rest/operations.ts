import type { AnyRouter } from '@trpc/server';
import type { Request, RequestHandler } from 'express';
import findMyWay from 'find-my-way';
import { sha256 } from '../core/crypto.ts';
import { fail } from '../core/problem.ts';
import { stringify } from '../core/raw-json.ts';
import { settleWith } from '../platform/answer-size.ts';
import type { Platform } from '../platform/platform.ts';
import type { Context } from '../trpc/context.ts';
import { methods } from '../trpc/operation.ts';
import { operationsOf } from '../trpc/operations-of.ts';
import type { Operation } from '../trpc/operations-of.ts';
import type { AdmittedKey } from '../modules/keys/admission.ts';
import { basePath } from '../core/base-path.ts';
import { onlyText } from './header-text.ts';
import { readBody } from './read-body.ts';
import { inputReader } from './read-input.ts';
import type { PathValues } from './read-input.ts';
import { writeAnswer } from './write-answer.ts';

const principalOf = ({ scopes }: AdmittedKey) => ({ kind: 'key', scopes }) as const;

const unlocated = (path: string): never => {
  throw new Error(`what POST ${path} created has no id`);
};

/** Where something that was just created can be read. */
const locationOf = (path: string, answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'id' in answer
    ? `${basePath}${path}/${encodeURIComponent(String(answer.id))}`
    : unlocated(path);

type Answer = (
  request: Request,
  path: PathValues,
) => Promise<{ status: number; headers: Map<string, string>; body: unknown }>;

/** An operation made ready to answer its route. */
const answering = (platform: Platform, compiled: Operation): Answer => {
  const { operation, openapi } = compiled;
  const readInput = inputReader(compiled);

  return async (request, path) => {
    const { requestId, language, entry, answering } = request.exchange;
    if (entry?.outcome !== 'admitted') return fail('unauthorized');
    const { key } = entry;
    const headers = new Map<string, string>();

    let bytes: Promise<Buffer> | undefined;
    let read: Uint8Array = Buffer.alloc(0);
    const body = () => (bytes ??= readBody(request).then((all) => (read = all)));

    const idempotencyKey = openapi.method === 'POST' ? onlyText(request.headersDistinct['idempotency-key']) : undefined;
    const context: Context = {
      principal: principalOf(key),
      language,
      answering,
      team: {
        id: key.tenantId,
        privacy: { memberDetail: key.memberDetail, leaderboard: key.leaderboard },
        rateLimitPerMin: key.teamLimit,
        actor: { kind: 'key', id: key.id },
        requestId,
        platform,
      },
      ...(idempotencyKey !== undefined && {
        repeatable: {
          key: idempotencyKey,
          fingerprint: () => sha256(Buffer.concat([Buffer.from(`POST ${request.path}\n`), read])),
          // On the response itself: the first answer may have been a problem, which another station writes.
          onReplay: () => request.res?.setHeader('Idempotent-Replayed', 'true'),
        },
      }),
    };
    const answer = await operation.run(context, () => readInput(request, path, body));
    if (operation.located) headers.set('Location', locationOf(openapi.path, answer));
    return { status: operation.status, headers, body: answer };
  };
};

/** A path's template as the router writes it. */
const patternOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

const routedMethods = [...methods, 'OPTIONS'] as const;

/** Routes a request to its operation and writes the answer. HEAD is GET without a body; OPTIONS names the methods. */
export const operations = (router: AnyRouter, platform: Platform, most?: number): RequestHandler => {
  const routes = findMyWay<findMyWay.HTTPVersion.V1>({ maxParamLength: 16_384 });
  const answers = new Map<object, { answer: Answer; template: string }>();
  const methodsOf = new Map<string, Set<string>>();

  for (const operation of operationsOf(router)) {
    const { method, path } = operation.openapi;
    const handler = () => {};
    routes.on(method, patternOf(path), handler);
    answers.set(handler, { answer: answering(platform, operation), template: path });
    methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method));
  }
  for (const [path, known] of methodsOf) {
    if (known.has('GET')) known.add('HEAD');
    const handler = () => {};
    const allowed = [...known, 'OPTIONS'].join(', ');
    routes.on('OPTIONS', patternOf(path), handler);
    answers.set(handler, {
      template: path,
      answer: async () => ({ status: 204, headers: new Map([['Allow', allowed]]), body: undefined }),
    });
  }

  const find = (method: string, path: string) => {
    const wanted = routedMethods.find((routed) => routed === (method === 'HEAD' ? 'GET' : method));
    const match = wanted && routes.find(wanted, path);
    const found = match && answers.get(match.handler);
    return found && { ...found, path: match.params };
  };

  return async (request, response) => {
    const found = find(request.method, request.path) ?? fail('not_found');
    request.exchange.route = found.template;
    try {
      const { status, headers, body } = await found.answer(request, found.path);
      response.statusCode = status;
      response.setHeaders(headers);
      if (body === undefined) {
        response.end();
        return;
      }
      await writeAnswer(request, response, { type: 'application/json; charset=utf-8', text: stringify(body), most });
    } finally {
      // Not before: while the answer of a caller who left is still being made or compressed, its read keeps its place.
      settleWith(request.exchange.answering, response);
    }
  };
};
