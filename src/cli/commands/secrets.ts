import type { Command } from '@commander-js/extra-typings';
import { rotateSecrets } from '../../worker/reseal.ts';
import type { Rotation } from '../../worker/reseal.ts';
import { answering } from '../command.ts';
import type { Answer } from '../session.ts';
import { table } from '../text.ts';
import { count } from '../values.ts';

const advice = ({ left, lost, former_needed_until: until }: Rotation): string => {
  if (left > 0)
    return `${left} left: run it again. A process that is not restarted yet still encrypts with the former secret.`;
  const rest =
    lost > 0 ? ` ${lost} were encrypted with a secret that is not configured: without it they stay unreadable.` : '';
  return `Nothing is left. The former secret may be dropped after ${until}, if every process uses the new one.${rest}`;
};

const readable = (rotation: Rotation): string => `${table(rotation.kinds)}\n\n${advice(rotation)}`;

export const secretsCommands = (program: Command, answer: Answer): void => {
  const group = program.command('secrets').description('the APP_SECRET with which the service encrypts');

  answering(
    group,
    'rotate',
    'encrypt with the first APP_SECRET all that the former ones encrypted, while the service runs',
  )
    .option('--most <number>', 'so many values at most; the next run goes on', count)
    .action((options) => answer(options, ({ platform }) => rotateSecrets(platform, options.most), readable));
};
