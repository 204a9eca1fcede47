import type { Logger } from '../core/log.ts';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request that was answered. Times are `performance.now()`. */
export interface AnsweredRequest {
  readonly method: string;
  /** The template; undefined where the path is none of ours. */
  readonly route: string | undefined;
  readonly status: number;
  readonly startedAt: number;
  readonly requestId: string;
  readonly tenantId: string | undefined;
  /** The code of the problem that was answered. */
  readonly problem: string | undefined;
  /** As the client sent it. */
  readonly traceparent: string | undefined;
}

/** Where what happens is told as OpenTelemetry's spans. */
export interface Traces {
  request(seen: AnsweredRequest): void;
  /** Does it within a span; what `note` is given and whether it threw are added. Spans begun meanwhile lie in this one. */
  traced<T>(name: string, attributes: Attributes, action: (note: (more: Attributes) => void) => Promise<T>): Promise<T>;
  /** Sends what is left, as long as that takes no more than a moment. */
  close(): Promise<void>;
}

const ignore = () => {};

export const noTraces: Traces = {
  request: ignore,
  traced: (_name, _attributes, action) => action(ignore),
  close: async () => {},
};

/** Without a collector nothing of OpenTelemetry is even loaded. */
export const openTraces = async (collectorUrl: string | undefined, log: Logger): Promise<Traces> => {
  if (collectorUrl === undefined) return noTraces;
  const { otlpTraces } = await import('./otlp-traces.ts');
  return otlpTraces(collectorUrl, log);
};
