import { hoursToMs, later } from '../../core/clock.ts';
import type { Message } from '../../core/messages/message.ts';
import { failUntil } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { windows } from './store.ts';

interface Hour {
  subject: string;
  most: number;
  detail: Message;
}

/** Counts a request in an hour that starts with the first one; 429 beyond `most`. A refusal rolls the transaction back, so it does not count. */
export const countInHour = async (tx: Tx, { platform }: Team, { subject, most, detail }: Hour): Promise<void> => {
  const now = platform.clock.now();
  const startedAfter = later(now, -hoursToMs(1));
  const hour = await windows.add(tx, { subject: `day ${subject}`, now, startedAfter, count: 1 });
  if (hour && hour.used > most) failUntil(later(new Date(hour.since), hoursToMs(1)), now, detail);
};
