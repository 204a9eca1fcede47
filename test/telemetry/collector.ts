import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { listen } from '../support/ports.ts';

const Value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
]);
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: Attributes,
  status: z.object({ code: z.int() }),
});
type Span = z.output<typeof Span>;
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

interface Collector {
  readonly url: string;
  readonly spans: readonly Span[];
  /** The resource attributes of services. */
  readonly services: ReadonlySet<unknown>;
  close(): Promise<void>;
}

/** Receives traces like a collector: OTLP, JSON over HTTP. With `hangs` it accepts them and never answers. */
export const startCollector = async ({ hangs = false } = {}): Promise<Collector> => {
  const spans: Span[] = [];
  const services = new Set<unknown>();
  const take = (body: string) => {
    for (const { resource, scopeSpans } of Export.parse(JSON.parse(body)).resourceSpans) {
      services.add(resource.attributes['service.name']);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
  };
  const server = createServer((request, response) => {
    const isOurs = request.method === 'POST' && request.url === '/v1/traces';
    text(request)
      .then((body) => {
        if (hangs) return;
        if (isOurs) take(body);
        response.writeHead(isOurs ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
      })
      .catch(() => response.writeHead(400).end());
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    spans,
    services,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
