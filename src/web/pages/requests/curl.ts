import type { DetailedRequest } from '../../../modules/requests/schema.ts';

/** The start of the public API's paths, for a request whose path is unknown. */
const apiPath = '/api/public/v1';

/** Quotes a text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

type RepeatedRequest = Pick<DetailedRequest, 'method' | 'route' | 'path' | 'query'>;

const targetOf = ({ route, path, query }: RepeatedRequest): string => {
  const known = path ?? (route?.startsWith('/mcp') === true ? '/mcp' : `${apiPath}${route ?? '/'}`);
  return query === null ? known : `${known}?${query}`;
};

export const hasBody = ({ method }: Pick<RepeatedRequest, 'method'>): boolean =>
  ['POST', 'PUT', 'PATCH'].includes(method);

/**
 * A curl command that repeats a request. The key is a shell variable. The body is not recorded, so the command reads it
 * from a file.
 */
export const curlOf = (request: RepeatedRequest, origin: string): string => {
  const { method } = request;
  return [
    `curl -i${method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`} ${quoted(`${origin}${targetOf(request)}`)}`,
    `-H "Authorization: Bearer $API_KEY"`,
    ...(hasBody(request) ? [`-H 'Content-Type: application/json'`, '--data @body.json'] : []),
  ].join(' \\\n  ');
};
