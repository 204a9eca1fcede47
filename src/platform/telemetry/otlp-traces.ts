import { setTimeout as sleep } from 'node:timers/promises';
import {
  SpanKind,
  SpanStatusCode,
  trace,
  ROOT_CONTEXT,
  type Attributes as SpanAttributes,
  type Context,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../core/log.ts';
import type { Traces } from './telemetry.ts';

const sendEvery = 2_000;
/** How long sending one batch may take, including repetitions. */
const sendWithin = 5_000;
/** How long a stop waits for the last batch, since the collector may be unreachable. */
const lastWordsWithin = 1_500;

/** If the collector is unreachable, the batch is lost and a line is logged. */
const logFailures = (exporter: SpanExporter, log: Logger): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      if (result.error) log.warn({ err: result.error, spans: spans.length }, 'traces could not be sent');
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});

/** Only the kind of an error, because its text may contain data that no trace should have. */
const kindOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Sends spans in batches to a collector, OTLP as JSON over HTTP. It sets nothing global. */
export const otlpTraces = (collectorUrl: string, log: Logger): Traces => {
  const exporter = new OTLPTraceExporter({
    url: `${collectorUrl.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: sendWithin,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'team-customer-api' }),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: logFailures(exporter, log),
        scheduledDelayMillis: sendEvery,
        maxQueueSize: 8_192,
      }),
    ],
  });
  const tracer = provider.getTracer('team-customer-api');
  const contexts = new AsyncLocalStorageContextManager().enable();

  return {
    request({ method, route, status, startedAt, requestId, tenantId, problem, traceparent }) {
      const attributes: SpanAttributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'team_api.request_id': requestId,
        'team_api.tenant_id': tenantId,
        'error.type': problem,
      };
      const name = route === undefined ? method : `${method} ${route}`;
      const span = tracer.startSpan(
        name,
        { kind: SpanKind.SERVER, startTime: startedAt, attributes },
        contextOf(traceparent),
      );
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(performance.now());
    },

    async traced(name, attributes, action) {
      const parent = contexts.active();
      const span = tracer.startSpan(name, { attributes }, parent);
      try {
        return await contexts.with(trace.setSpan(parent, span), () => action((more) => span.setAttributes(more)));
      } catch (error) {
        span.setAttribute('error.type', kindOf(error)).setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },

    async close() {
      const sent = provider.shutdown().catch(() => undefined); // already logged
      await Promise.race([sent, sleep(lastWordsWithin, undefined, { ref: false })]);
      contexts.disable();
    },
  };
};

/** Later versions may add parts at the end, version 00 may not, and version `ff` is invalid. */
const traceparent =
  /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?)$/;

/**
 * The trace of a request from its `traceparent` header (W3C Trace Context), or a new one. The header does not decide
 * whether the request is recorded: the operator does.
 */
export const contextOf = (header: string | undefined): Context => {
  const [, id00, span00, idLater, spanLater] = traceparent.exec(header ?? '') ?? [];
  const [traceId, spanId] = [id00 ?? idLater, span00 ?? spanLater];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });
};
