import { toLocalInput } from '../../kit/text/dates.ts';

const dayMs = 86_400_000;

/** The first suggestion for the time since which missed events are recovered: since deliveries fail, or one day ago. */
export const recoveredFrom = (failingSince: string | undefined, now = new Date()): string =>
  toLocalInput(failingSince === undefined ? new Date(now.getTime() - dayMs) : new Date(failingSince));
