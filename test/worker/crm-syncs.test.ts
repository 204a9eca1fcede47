import { expect, it, onTestFinished } from 'vitest';
import { crmLimits } from '../../src/core/limits.ts';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { startCrmSyncs } from '../../src/worker/crm-syncs.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aFeedConnection, page } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { silentLog } from '../support/worker.ts';

const service = await useTestService({ own: true, environment: localFeeds((await certificates()).caFile()) });

it('a worker runs a few syncs of one team at once, and those of others meanwhile; when one ends, the next begins', async () => {
  const { ofOneTeam } = crmLimits.runsAtOnce;
  const [team, other] = [await aTeam(service), await aTeam(service)];
  const waiting: (() => void)[] = [];
  onTestFinished(() => waiting.forEach((letGo) => letGo()));
  const slow = await aFeed(async () => {
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return page({});
  });
  const quick = await aFeed(() => page({}));
  for (let made = 0; made < ofOneTeam + 1; made += 1) await aFeedConnection(team, { url: `${slow.url}/${made}` });
  await aFeedConnection(other, quick);
  const worker = startCrmSyncs({ platform: service.platform, log: silentLog, telemetry: noopTelemetry() });
  onTestFinished(() => worker.stop());
  await quick.untilReceived(1);
  // Another look finds this one, and the last one of the first team again.
  await aFeedConnection(other, { url: `${quick.url}/another` });
  await quick.untilReceived(2);
  await slow.untilReceived(ofOneTeam);
  expect(slow.received).toHaveLength(ofOneTeam);
  waiting[0]?.();
  await slow.untilReceived(ofOneTeam + 1);
});
