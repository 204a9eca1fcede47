import type { Command } from '@commander-js/extra-typings';
import { maintenanceLimits } from '../../core/limits.ts';
import { beginMaintenance, endMaintenance, readMaintenance } from '../../modules/maintenance/service.ts';
import type { Maintenance } from '../../modules/maintenance/service.ts';
import { answering } from '../command.ts';
import type { Answer } from '../session.ts';
import { count } from '../values.ts';

const shown = (maintenance: Maintenance | undefined) => ({
  maintenance: maintenance !== undefined,
  since: maintenance?.since.toISOString() ?? null,
  retry_after_seconds: maintenance?.retryAfterSeconds ?? null,
});

export const maintenanceCommands = (program: Command, answer: Answer): void => {
  const group = program
    .command('maintenance')
    .description('pause the service: the API and the app answer 503, the workers run no jobs');

  answering(group, 'on', 'begin maintenance: every process knows within a second')
    .option('--retry-after <seconds>', 'how long clients are asked to wait', count, maintenanceLimits.retryAfterSeconds)
    .action((options) =>
      answer(options, async ({ platform }) => shown(await beginMaintenance(platform, options.retryAfter))),
    );

  answering(group, 'off', 'end maintenance').action((options) =>
    answer(options, async ({ platform }) => {
      await endMaintenance(platform);
      return shown(undefined);
    }),
  );

  answering(group, 'status', 'whether maintenance is on').action((options) =>
    answer(options, async ({ platform }) => shown(await readMaintenance(platform))),
  );
};
