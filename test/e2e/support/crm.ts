import { onTestFinished } from 'vitest';
import { makeMeter } from '../../../src/platform/telemetry/meter.ts';
import { noTraces } from '../../../src/platform/telemetry/telemetry.ts';
import { startCrmSyncs } from '../../../src/worker/crm-syncs.ts';
import type { TestService } from '../../support/service.ts';
import { silentLog } from '../../support/worker.ts';

/** The CRM syncs of a worker, stopped at the end of the test. */
export const aSyncWorker = ({ platform }: TestService): void => {
  const worker = startCrmSyncs({
    platform,
    log: silentLog,
    telemetry: { meter: makeMeter(), traces: noTraces },
  });
  onTestFinished(() => worker.stop());
};
