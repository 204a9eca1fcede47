import type { Command } from '@commander-js/extra-typings';
import { publicUrlOf, settings } from '../../config.ts';
import type { Config } from '../../config.ts';
import type { DemoDocument } from '../../demo/document.ts';
import { prepareDemo } from '../../demo/prepare.ts';
import { answering } from '../command.ts';
import type { Answer } from '../session.ts';
import { fields } from '../text.ts';

const defaultPort = settings.parse({}).PORT;

/** Where the service is as far as the configuration says so; undefined: wherever it was last brought up for the demo. */
const configuredUrl = (config: Config): string | undefined =>
  config.PUBLIC_URL !== undefined || ![0, defaultPort].includes(config.PORT) ? publicUrlOf(config) : undefined;

const described = ({ teams, ...addresses }: DemoDocument): string => [addresses, ...teams].map(fields).join('\n\n');

export const demoCommand = (program: Command, answer: Answer): void => {
  answering(
    program,
    'demo',
    'make (once) or show two demo teams with their sign-ins and keys; not in production',
  ).action((options) =>
    answer(
      options,
      ({ config, foundation, report }) => prepareDemo(foundation, { config, publicUrl: configuredUrl(config), report }),
      described,
    ),
  );
};
