import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';

/** Later versions may add parts behind the four; the first may not, and `ff` is none. */
const traceparent =
  /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?)$/;

/**
 * The trace that a request belongs to by its `traceparent` (W3C Trace Context), or a new one. A caller says where it belongs,
 * not whether it is recorded: that is for whoever runs the service.
 */
export const contextOf = (header: string | undefined): Context => {
  const [, id00, span00, idLater, spanLater] = traceparent.exec(header ?? '') ?? [];
  const [traceId, spanId] = [id00 ?? idLater, span00 ?? spanLater];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });
};
