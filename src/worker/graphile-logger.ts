import { Logger as GraphileLogger } from 'graphile-worker';
import type { Logger } from '../core/log.ts';

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** It expects each job to need a connection of the queue's pool; lanes use none. */
const isOfNoUse = (message: string): boolean => message.includes('maxPoolSize');

/** Writes the queue's log to the service's; its everyday lines only when debugging. */
export const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(
    () => (level, message) => log[isOfNoUse(message) ? 'debug' : levels[level]]({ part: 'queue' }, message),
  );
