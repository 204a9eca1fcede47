import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../core/log.ts';
import { openDatabase } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { tendEndpoints } from '../../modules/webhooks/service.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { startDispatcher } from './dispatcher.ts';
import type { DispatcherSettings } from './dispatcher.ts';

export interface DeliverySettings extends DispatcherSettings {
  /** Seconds that an endpoint may go without a success before it is paused. */
  pauseAfter: number;
}

interface DeliveryParts {
  platform: Platform;
  databaseUrl: string;
  log: Logger;
  telemetry: Telemetry;
  settings: DeliverySettings;
}

/** Endpoints are paused some seconds after their time, not minutes. */
const tendEvery = 5_000;
/** One claims, one writes, one tends; connections of their own, which no crowd of requests takes. */
const connections = 3;
/** Whoever holds an endpoint for longer is not waited for: others' outcomes must be written meanwhile. */
const lockWait = 250;

/** Everything that goes on about webhooks in a worker: events are sent, and endpoints that nothing reaches are looked after. */
export const startDeliveries = ({
  platform: surroundings,
  databaseUrl,
  log,
  telemetry,
  settings,
}: DeliveryParts): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const database = openDatabase(databaseUrl, { poolSize: connections, lockWait, queue: true });
  const platform = { ...surroundings, database };
  const dispatcher = startDispatcher({ platform, log, telemetry, settings });

  const tend = async () => {
    while (!stopping.signal.aborted) {
      try {
        const complain = (err: unknown, endpointId: string) => {
          if (!isUnavailable(err)) log.error({ err, endpointId }, 'an endpoint could not be looked after');
        };
        const { warned, paused } = await tendEndpoints(platform, { ...settings, complain });
        if (warned > 0) telemetry.meter.silent('warned', warned);
        if (paused > 0) telemetry.meter.silent('paused', paused);
      } catch (err) {
        if (!isUnavailable(err)) log.error({ err }, 'looking after silent endpoints failed');
      }
      await sleep(tendEvery, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const tending = tend();

  return {
    async stop() {
      stopping.abort();
      await Promise.all([dispatcher.stop(), tending]);
      await database.close();
    },
  };
};
