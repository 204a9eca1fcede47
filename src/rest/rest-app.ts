import type { AnyRouter } from '@trpc/server';
import { Router } from 'express';
import type { Logger } from '../core/log.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { KeyUsage } from '../modules/keys/usage.ts';
import type { RequestLog } from '../modules/requests/writer.ts';
import { publicRouter } from '../modules/public-router.ts';
import type { Platform } from '../platform/platform.ts';
import { accessLog } from './access-log.ts';
import { untold } from '../telemetry/telemetry.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Admission } from '../modules/keys/admission.ts';
import { arrival } from './arrival.ts';
import { gate } from './gate.ts';
import { asksForOpenApi, openApi } from './openapi.ts';
import { operations } from './operations.ts';
import { problemResponse } from './problem-response.ts';
import { refuseWhileStopping } from './stopping.ts';

export interface RestParts {
  platform: Platform;
  log: Logger;
  lifecycle: Lifecycle;
  admission: Admission;
  usage: KeyUsage;
  /** Keeps what teams see of their requests. */
  requestLog?: Pick<RequestLog, 'note'>;
  telemetry?: Telemetry;
  /** What can be done over REST. */
  router?: AnyRouter;
  /** How many bytes an answer may have, unless the limit of every answer holds. */
  answerBytes?: number;
}

/** The public API: the stations that a request passes, in this order. */
export const restApp = ({
  platform,
  log,
  lifecycle,
  admission,
  usage,
  requestLog,
  telemetry = untold(),
  router = publicRouter,
  answerBytes,
}: RestParts): Router => {
  const { publicUrl } = platform;
  return Router({ caseSensitive: true, strict: true })
    .use(arrival()) // names the request and sets what every answer carries
    .use(accessLog({ log, telemetry, requestLog })) // told how it ended: log, metrics, traces, the team's own log
    .use(refuseWhileStopping(lifecycle))
    .use(gate({ admission, usage, isOpen: asksForOpenApi })) // key, addresses, team, both budgets
    .use(openApi(router, publicUrl))
    .use(operations(router, platform, answerBytes)) // route → input → procedure → answer
    .use(problemResponse({ publicUrl, log })); // whatever was thrown, in the reader's language
};
