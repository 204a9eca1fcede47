import type { Request, RequestHandler } from 'express';
import { hash } from 'node:crypto';
import { writeAnswer } from '../http/exchange.ts';
import { openApiDocument } from './openapi-document.ts';
import type { ApiVersion } from './rest-app.ts';

const openApiPath = (version: string) => `/openapi.${version}.json`;
const allowed = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a request is for the description, which needs no key. */
export const asksForOpenApi = (version: string, { path, method }: Request): boolean =>
  path === openApiPath(version) && allowed.includes(method);

/** Serves the API's description; a client that has it already gets 304. */
export const openApi = (served: ApiVersion, publicUrl: string): RequestHandler => {
  const { version } = served;
  let made: { body: string; etag: string } | undefined;
  const make = () => {
    const body = JSON.stringify(openApiDocument(served.router, publicUrl, served));
    return { body, etag: `"${hash('sha256', body, 'base64url')}"` };
  };
  return async (request, response, next) => {
    if (!asksForOpenApi(version, request)) {
      next();
      return;
    }
    request.exchange.route = openApiPath(version);
    if (request.method === 'OPTIONS') {
      response.setHeader('Allow', allowed.join(', '));
      response.status(204).end();
      return;
    }
    const { body, etag } = (made ??= make());
    response.setHeader('ETag', etag);
    response.setHeader('Cache-Control', 'no-cache');
    // Compared here: a client's own `Cache-Control` must not cost it the download.
    const known = request.headers['if-none-match'];
    if (known?.includes(etag) || known === '*') {
      response.status(304).end();
      return;
    }
    await writeAnswer(request, response, { type: 'application/json; charset=utf-8', text: body });
  };
};
