import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../core/log.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { claim, settle } from '../../modules/webhooks/service.ts';
import type { Claimed, Outcome } from '../../modules/webhooks/service.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { attempt } from './attempt.ts';
import { outcomeWriter } from './outcome-writer.ts';

export interface DispatcherSettings {
  /** Pauses between the attempts of a delivery, in seconds. */
  retrySeconds: readonly number[];
  /** Attempts at once in this process, and to one endpoint from all processes. */
  concurrency: number;
  perEndpoint: number;
}

interface DispatcherParts {
  platform: Platform;
  log: Logger;
  telemetry: Telemetry;
  settings: DispatcherSettings;
}

export interface Dispatcher {
  /** Claims nothing more, lets what is being sent end and be written. */
  stop(): Promise<void>;
}

/** How long after its commit a delivery waits at most before somebody looks for it. */
const lookEvery = 100;
/** Looking more often would find less each time. */
const lookAtMostEvery = 5;
/** A look that took longer than this, for the many endpoints there are, is not made all the time. */
const longLook = 25;
/** So many times what is sent at once may be in hand: the rest of it waits to be written. */
const unwritten = 3;
const othersTurn = 3;
const afterFailure = 500;
const finishWithin = 15_000;

/**
 * Sends what is due: claims as many deliveries as there is room for, sends them side by side, and claims again as soon as
 * some are written, or a moment later.
 *
 * What was claimed is sent by this process, at once and from memory. A delivery in the hands of a process that dies is due
 * again when its lease ends; there is nothing else of it that anybody would have to free.
 */
export const startDispatcher = ({ platform, log, telemetry, settings }: DispatcherParts): Dispatcher => {
  const { retrySeconds, concurrency, perEndpoint } = settings;
  const { meter, traces } = telemetry;
  const stopping = new AbortController();
  /** What was claimed and is not written; of these, what is not sent. */
  const inHand = { all: 0, sending: 0, failing: 0 };
  let wake = () => {};
  /** Something was let go since the last look. */
  let freed = false;

  const free = () => {
    freed = true;
    wake();
  };
  const letGo = ({ failing }: Claimed) => {
    inHand.all -= 1;
    if (failing) inHand.failing -= 1;
    free();
  };

  const writer = outcomeWriter({
    write: (outcomes, patience) => settle(platform, outcomes, patience),
    onWritten: ({ claimed, exchange }: Outcome, status) => {
      meter.attempt({ result: status ?? 'stale', seconds: exchange.ms / 1000 });
      letGo(claimed);
    },
    complain: (err, { claimed: { deliveryId } }) =>
      log.error({ err, deliveryId }, 'an outcome could not be kept whole'),
  });

  const send = async (claimed: Claimed) => {
    const { tenantId, deliveryId } = claimed;
    const complain = (err: unknown) => log.error({ err, deliveryId }, 'a delivery could not be prepared');
    const about = { 'team_api.tenant_id': tenantId, 'team_api.delivery_id': deliveryId };
    const outcome = await traces
      .traced('webhook.attempt', about, async (note) => {
        const made = await attempt(platform, claimed, { retrySeconds, complain });
        note({
          'team_api.delivery_status': made.step.status,
          'http.response.status_code': made.exchange.code ?? undefined,
        });
        return made;
      })
      .finally(() => {
        inHand.sending -= 1;
        free();
      });
    writer.add(outcome);
  };

  /** Gives whether there may be more to claim already. */
  const look = async (): Promise<boolean> => {
    freed = false;
    const room = Math.min(concurrency - inHand.sending, concurrency * unwritten - inHand.all);
    if (room <= 0) return false;
    const roomForFailing = Math.max(0, Math.ceil(concurrency / 2) - inHand.failing);
    const claimed = await claim(platform, { room, roomForFailing, perEndpoint });
    if (claimed === undefined) {
      await sleep(othersTurn);
      return true;
    }
    meter.claimed(claimed.length);
    inHand.all += claimed.length;
    inHand.sending += claimed.length;
    inHand.failing += claimed.filter(({ failing }) => failing).length;
    for (const one of claimed) {
      void send(one).catch((err: unknown) => {
        log.error({ err, deliveryId: one.deliveryId }, 'a delivery was dropped; its lease brings it back');
        letGo(one);
      });
    }
    return false;
  };

  /** Until something was written, or it is time to look again. */
  const pause = async () => {
    if (freed) return;
    const woken = new AbortController();
    wake = () => woken.abort();
    const signal = AbortSignal.any([woken.signal, stopping.signal]);
    await sleep(lookEvery, undefined, { signal }).catch(() => undefined);
    wake = () => {};
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      const lookedAt = performance.now();
      try {
        const again = await look();
        const took = performance.now() - lookedAt;
        if (!again) await pause();
        const rest = (took > longLook ? took * 3 : lookAtMostEvery) - (performance.now() - lookedAt);
        if (rest > 0) await sleep(rest);
      } catch (err) {
        if (!isUnavailable(err)) log.error({ err }, 'looking for due deliveries failed');
        await sleep(afterFailure, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };
  const running = run();

  const everythingSent = async () => {
    while (inHand.all > 0) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      await changed;
    }
  };

  return {
    async stop() {
      stopping.abort();
      await running;
      await Promise.race([everythingSent(), sleep(finishWithin, undefined, { ref: false })]);
      writer.giveUp();
    },
  };
};
