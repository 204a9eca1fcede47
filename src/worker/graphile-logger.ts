import { Logger as GraphileLogger } from 'graphile-worker';
import type { Logger } from '../core/log.ts';

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** The queue's own log in ours; its everyday news are ours only when debugging. */
export const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(() => (level, message) => log[levels[level]]({ part: 'queue' }, message));
