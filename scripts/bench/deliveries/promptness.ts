import { statement } from '../../../src/db/query.ts';
import { publicEventId } from '../../../src/webhooks/message.ts';
import type { Told } from './endpoints.ts';
import { raiseSteadily } from './raising.ts';
import type { Stage } from './stage.ts';

const trainings = statement<{ id: string; training: string }, []>(
  `select id, data::json ->> 'training_id' as training from webhook_event`,
);

const patience = 60_000;

interface Pace {
  told: readonly [Told, ...Told[]];
  perSecond: number;
  seconds: number;
}

/** Raises events and returns, for each one, the milliseconds from its commit to its receipt. */
export const timeDeliveries = async (
  { platform, receiver }: Stage,
  { told, perSecond, seconds }: Pace,
): Promise<number[]> => {
  await receiver.take();
  const count = perSecond * seconds;
  const raised = await raiseSteadily({ count, perSecond, told });
  await receiver.untilArrived(count, patience);
  const { arrivals } = await receiver.take();
  const receipts = new Map(arrivals.map(({ event, at }) => [event, at]));
  const rows = await platform.database.rows(trainings);
  return rows.flatMap(({ id, training }) => {
    const committed = raised.get(training);
    return committed === undefined ? [] : [(receipts.get(publicEventId(id)) ?? NaN) - committed];
  });
};
