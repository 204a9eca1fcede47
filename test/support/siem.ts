import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listen } from './ports.ts';
import type { AnswerProgress } from './receiver.ts';

// Stand-ins for systems of security teams. They accept and refuse requests as the documentation of their makers says.

type Json = Record<string, unknown>;

interface StandIn {
  readonly answer: AnswerProgress;
  /** What it has indexed, in the order of arrival. */
  readonly logs: Json[];
}

const json = (status: number, body: unknown) => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Splunk's HTTP Event Collector. `raw` takes any text; with the source type `_json` its fields are extracted. */
export const splunk = (token: string): StandIn => {
  const logs: Json[] = [];
  const reply = (status: number, code: number, said: string) => json(status, { text: said, code });
  const answer: AnswerProgress = ({ method, path, headers: { authorization }, body }) => {
    const { pathname, searchParams } = new URL(path, 'https://splunk.example.com');
    const isRaw = pathname === '/services/collector/raw';
    if (method !== 'POST' || (!isRaw && !/^\/services\/collector(\/event)?$/.test(pathname))) return { status: 404 };
    if (authorization === undefined) return reply(401, 2, 'Token is required');
    if (!authorization.startsWith('Splunk ')) return reply(401, 3, 'Invalid authorization');
    if (authorization !== `Splunk ${token}`) return reply(403, 4, 'Invalid token');
    if (body.trim() === '') return reply(400, 5, 'No data');
    const event = parsed(body);
    if (!isRaw && !('event' in Object(event))) return reply(400, 12, 'Event field is required');
    const fields = searchParams.get('sourcetype') === '_json' ? Object(event) : { _raw: body };
    logs.push({ source: searchParams.get('source'), ...fields });
    return reply(200, 0, 'Success');
  };
  return { answer, logs };
};

/** Datadog's intake of logs: an object, or a list of them. */
export const datadog = (apiKey: string): StandIn => {
  const logs: Json[] = [];
  const refuse = (status: number, title: string) => json(status, { errors: [{ status: String(status), title }] });
  const answer: AnswerProgress = ({ method, path, headers, body }) => {
    const { pathname, searchParams } = new URL(path, 'https://http-intake.logs.datadoghq.eu');
    if (method !== 'POST' || pathname !== '/api/v2/logs') return refuse(404, 'Not Found');
    if (headers['dd-api-key'] !== apiKey) return refuse(403, 'Forbidden');
    if (headers['content-type'] !== 'application/json') return refuse(415, 'Unsupported Media Type');
    if (Buffer.byteLength(body) > 5 * 1024 * 1024) return refuse(413, 'Payload Too Large');
    const given = [parsed(body)].flat();
    if (given.some((one) => typeof one !== 'object' || one === null)) return refuse(400, 'Bad Request');
    logs.push(...given.map((one) => ({ service: searchParams.get('service'), ...Object(one) })));
    return json(202, {});
  };
  return { answer, logs };
};

/** Elasticsearch's `_bulk` of an index, as far as `create` goes. */
export const anElastic = async (apiKey: string) => {
  const documents = new Map<string, Json>();
  /** How often each id came. */
  const offered = new Map<string, number>();
  let down = false;
  const create = (id: string, document: Json) => {
    offered.set(id, (offered.get(id) ?? 0) + 1);
    if (documents.has(id)) return { status: 409, error: { type: 'version_conflict_engine_exception' } };
    documents.set(id, document);
    return { status: 201 };
  };
  const server = createServer((request, response) => {
    const take = async () => {
      const body = await text(request);
      const reply = (status: number, said: unknown) =>
        void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(said));
      if (down) return reply(503, { error: 'unavailable' });
      if (request.method !== 'POST' || request.url !== '/audit-log/_bulk') return reply(404, { error: 'no handler' });
      if (request.headers.authorization !== `ApiKey ${apiKey}`) return reply(401, { error: 'security_exception' });
      if (request.headers['content-type'] !== 'application/x-ndjson') return reply(406, { error: 'media type' });
      if (!body.endsWith('\n')) return reply(400, { error: 'The bulk request must be terminated by a newline [\\n]' });
      const lines = body
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)));
      const items = lines.flatMap((line, at) => {
        if (at % 2 === 1) return [];
        return [{ create: create(String(line.create._id), lines[at + 1] ?? {}) }];
      });
      return reply(200, { errors: items.some(({ create: { status } }) => status !== 201), items });
    };
    take().catch(() => response.destroy());
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${port}/audit-log`,
    documents,
    offered,
    setDown: (is: boolean) => void (down = is),
  };
};
