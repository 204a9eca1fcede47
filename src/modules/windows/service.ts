import type { Message } from '../../core/messages/message.ts';
import { fail } from '../../core/problem.ts';
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
  const hour = { subject: `day ${subject}`, seconds: 3_600, now: platform.clock.now() };
  const { used, wait } = await windows.count(tx, hour);
  if (used > most) fail('rate_limited', { retry_after: wait, detail });
};
