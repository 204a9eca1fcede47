import type { Logger } from '../core/log.ts';
import { makeMeter } from './meter.ts';
import type { Backlog, Meter } from './meter.ts';
import { serveMetrics } from './metrics-server.ts';
import { noTraces, openTraces } from './traces.ts';
import type { Traces } from './traces.ts';

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
