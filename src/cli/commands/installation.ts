import type { Command } from '@commander-js/extra-typings';
import { maintenanceLimits } from '../../core/limits.ts';
import { publicUrlOf, settings, type Config } from '../../config.ts';
import { prepareDemo, type DemoDocument } from '../demo/prepare.ts';
import {
  beginMaintenance,
  endMaintenance,
  readMaintenance,
  type Maintenance,
} from '../../modules/maintenance/service.ts';
import { rotateSecrets, type Rotation } from '../../worker/reseal.ts';
import { answering, table, fields, type AnswerCommand } from '../command.ts';
import { count } from '../values.ts';

const shown = (maintenance: Maintenance | undefined) => ({
  maintenance: maintenance !== undefined,
  since: maintenance?.since.toISOString() ?? null,
  retry_after_seconds: maintenance?.retryAfterSeconds ?? null,
});

export const maintenanceCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program
    .command('maintenance')
    .description('pause the service: the API and the app answer 503, the workers run no jobs');

  answering(group, 'on', 'start maintenance; it takes effect in every process within a second')
    .option('--retry-after <seconds>', 'the Retry-After that clients get', count, maintenanceLimits.retryAfterSeconds)
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

const advice = ({ left, lost, former_needed_until: until }: Rotation): string => {
  if (left > 0)
    return `${left} left: run it again. A process that is not restarted yet still encrypts with the previous secret.`;
  const rest =
    lost > 0 ? ` ${lost} were encrypted with a secret that is not configured: without it they stay unreadable.` : '';
  return `Everything is encrypted with the first secret. The previous secret can be removed after ${until}, if every process uses the new one.${rest}`;
};

const readable = (rotation: Rotation): string => `${table(rotation.kinds)}\n\n${advice(rotation)}`;

export const secretsCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program.command('secrets').description('the APP_SECRET with which the service encrypts');

  answering(group, 'rotate', 're-encrypt everything with the first APP_SECRET, while the service runs')
    .option('--most <number>', 're-encrypt at most this many values; the next run continues', count)
    .action((options) => answer(options, ({ platform }) => rotateSecrets(platform, options.most), readable));
};

const defaultPort = settings.parse({}).PORT;

/**
 * The service's address, if `PUBLIC_URL` or a port other than the default is configured. Otherwise undefined: then the
 * demo keeps its last address.
 */
const configuredUrl = (config: Config): string | undefined =>
  config.PUBLIC_URL !== undefined || ![0, defaultPort].includes(config.PORT) ? publicUrlOf(config) : undefined;

const describe = ({ teams, ...addresses }: DemoDocument): string => [addresses, ...teams].map(fields).join('\n\n');

export const demoCommand = (program: Command, answer: AnswerCommand): void => {
  answering(
    program,
    'demo',
    'create (once) or show two demo teams with their sign-ins and keys; not in production',
  ).action((options) =>
    answer(
      options,
      ({ config, foundation, report }) => prepareDemo(foundation, { config, publicUrl: configuredUrl(config), report }),
      describe,
    ),
  );
};
