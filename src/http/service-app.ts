import { fileURLToPath } from 'node:url';
import express from 'express';
import type { Express } from 'express';
import helmet from 'helmet';
import type { Config } from '../config.ts';
import { errorPage } from '../app/error-page.ts';
import { trpcApp } from '../app/trpc.ts';
import { ui } from '../app/ui.ts';
import { fail } from '../core/problem.ts';
import { openAuth } from '../modules/sessions/service.ts';
import { arrival } from '../rest/arrival.ts';
import { basePath } from '../core/base-path.ts';
import { problemResponse } from '../rest/problem-response.ts';
import { restApp } from '../rest/rest-app.ts';
import type { RestParts } from '../rest/rest-app.ts';
import { untold } from '../telemetry/telemetry.ts';
import { trustedProxies } from './trusted-proxies.ts';

/** Where the build leaves the app. */
const uiFolder = fileURLToPath(new URL('../../dist/web', import.meta.url));

/** All that the service answers over HTTP: its health, the public API, and the pages for people. */
export const serviceApp = (
  parts: RestParts,
  { TRUST_PROXY, SIGN_IN_RATE_PER_MIN }: Pick<Config, 'TRUST_PROXY' | 'SIGN_IN_RATE_PER_MIN'>,
): Express => {
  const { lifecycle, platform, log, telemetry = untold() } = parts;
  const auth = openAuth(platform);
  // Nobody counts who asks here: however many do, the database is asked one question at a time.
  let asking: Promise<boolean> | undefined;
  const isReachable = () => (asking ??= platform.database.isReachable().finally(() => (asking = undefined)));
  return (
    express()
      .disable('x-powered-by')
      .disable('etag')
      .enable('case sensitive routing')
      .enable('strict routing')
      .set('trust proxy', trustedProxies(TRUST_PROXY))
      .use(basePath, restApp(parts))
      .use(arrival())
      .get('/healthz', (_request, response) => {
        response.json({ status: 'ok' });
      })
      .get('/readyz', async (_request, response) => {
        const { state } = lifecycle;
        const reachable = state === 'ready' && (await isReachable());
        response
          .status(reachable ? 200 : 503)
          .json({ status: state === 'ready' && !reachable ? 'unavailable' : state });
      })
      .get('/developers/errors', helmet({ frameguard: { action: 'deny' } }), errorPage)
      .use('/trpc', trpcApp({ platform, auth, log, meter: telemetry.meter, signInRatePerMin: SIGN_IN_RATE_PER_MIN }))
      .use(ui(uiFolder))
      // Beyond the API and the app there is nothing; it is said in the API's own form.
      .use(() => fail('not_found'))
      .use(problemResponse({ publicUrl: platform.publicUrl, log }))
  );
};
