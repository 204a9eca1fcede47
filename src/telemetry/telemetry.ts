import type { Logger } from '../core/log.ts';
import { makeMeter, serveMetrics } from './meter.ts';
import type { Backlog, Meter } from './meter.ts';

/** Counts and traces what happens. */
export interface Telemetry {
  readonly meter: Meter;
  readonly traces: Traces;
}

/** Telemetry that no one reads. */
export const noopTelemetry = (): Telemetry => ({ meter: makeMeter(), traces: noTraces });

export interface RunningTelemetry extends Telemetry {
  /** Where metrics are served; undefined where they are not. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

interface Options {
  host: string;
  metricsPort: number | undefined;
  collectorUrl: string | undefined;
  backlog: () => Promise<Backlog>;
  log: Logger;
}

/** Metrics are counted either way; they are served, and traces sent, only where that was asked for. */
export const openTelemetry = async ({
  host,
  metricsPort,
  collectorUrl,
  backlog,
  log,
}: Options): Promise<RunningTelemetry> => {
  const meter = makeMeter({ backlog });
  const server = metricsPort === undefined ? undefined : await serveMetrics({ meter, host, port: metricsPort });
  const traces = await openTraces(collectorUrl, log);
  return {
    meter,
    traces,
    port: server?.port,
    async close() {
      await traces.close();
      await server?.close();
    },
  };
};

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
