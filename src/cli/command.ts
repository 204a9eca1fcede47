import type { Command } from '@commander-js/extra-typings';

/** A command that answers; every one can do so in JSON. */
export const answering = <Usage extends string>(group: Command, usage: Usage, summary: string) =>
  group.command(usage).description(summary).option('--json', 'print one JSON document');
