import type { Logger } from '../../core/log.ts';
import { makeMeter, startMetricsServer, type Meter, type MeterOptions } from './meter.ts';
import type { Paths } from './side-port.ts';

export interface Telemetry {
  readonly meter: Meter;
  readonly traces: Traces;
}

/** Telemetry that is not read. */
export const noopTelemetry = (): Telemetry => ({ meter: makeMeter(), traces: noTraces });

export interface RunningTelemetry extends Telemetry {
  /** The port of the metrics; undefined if they are not served. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

interface TelemetryOptions extends MeterOptions {
  host: string;
  metricsPort: number | undefined;
  /** Other paths that are served on the port of the metrics. */
  otherPaths?: Paths | undefined;
  collectorUrl: string | undefined;
  log: Logger;
}

/** Metrics are always counted. They are served, and traces sent, only if configured. */
export const openTelemetry = async ({
  host,
  metricsPort,
  otherPaths,
  collectorUrl,
  log,
  ...measured
}: TelemetryOptions): Promise<RunningTelemetry> => {
  const meter = makeMeter(measured);
  const server =
    metricsPort === undefined
      ? undefined
      : await startMetricsServer({ meter, host, port: metricsPort, others: otherPaths });
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

/** An answered request. Times are those of `performance.now()`. */
export interface AnsweredRequest {
  readonly method: string;
  /** The template; undefined for a path without a route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly startedAt: number;
  readonly requestId: string;
  readonly tenantId: string | undefined;
  /** The code of the problem in the answer. */
  readonly problem: string | undefined;
  /** The header as the client sent it. */
  readonly traceparent: string | undefined;
}

/** Records OpenTelemetry spans. */
export interface Traces {
  /** Absent without a collector. */
  request?(seen: AnsweredRequest): void;
  /**
   * Runs an action within a span. Adds the attributes that `note` gets, and whether the action threw. Spans that start
   * during the action are children of this one.
   */
  traced<T>(name: string, attributes: Attributes, action: (note: (more: Attributes) => void) => Promise<T>): Promise<T>;
  /** Sends the remaining spans if that takes no more than a moment. */
  close(): Promise<void>;
}

export const noTraces: Traces = {
  traced: (_name, _attributes, action) => action(() => {}),
  close: async () => {},
};

/** Without a collector, OpenTelemetry is not even loaded. */
export const openTraces = async (collectorUrl: string | undefined, log: Logger): Promise<Traces> => {
  if (collectorUrl === undefined) return noTraces;
  const { otlpTraces } = await import('./otlp-traces.ts');
  return otlpTraces(collectorUrl, log);
};
