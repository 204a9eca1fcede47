import { toLocalInput } from '../../kit/text/dates.ts';

const dayMs = 86_400_000;

/** From when on missed events are recovered at first: since deliveries fail, or for a day. */
export const recoveredFrom = (failingSince: string | undefined, now = new Date()): string =>
  toLocalInput(failingSince === undefined ? new Date(now.getTime() - dayMs) : new Date(failingSince));
