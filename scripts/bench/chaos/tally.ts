import { statement } from '../../../src/db/query.ts';
import { publicEventId } from '../../../src/webhooks/message.ts';
import type { Stage } from '../deliveries/stage.ts';

const deliveries = statement<{ endpoint: string; event: string; status: string; training: string }, []>(
  `select d.endpoint_id as endpoint, d.event_id as event, d.status, v.data::json ->> 'training_id' as training
     from webhook_delivery d join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id`,
);

export interface Tally {
  /** Reads the new arrivals from the receivers. */
  look(): Promise<void>;
  /** Compares the database with the receivers. `raised` are the training ids of all events. */
  sum(raised: Iterable<string>): Promise<{
    deliveries: number;
    lost: number;
    unnoted: number;
    duplicates: number;
    requests: number;
    forgotten: number;
  }>;
}

/** Counts the arrivals of each event at each endpoint. */
export const startTally = ({ platform, receiver }: Stage): Tally => {
  const arrived = new Map<string, number>();
  let requests = 0;
  const nameOf = (endpoint: string, event: string) => `${endpoint} ${event}`;

  const look = async (): Promise<void> => {
    const taken = await receiver.take();
    requests += taken.requests;
    for (const { endpoint, event } of taken.arrivals) {
      const name = nameOf(endpoint, event);
      arrived.set(name, (arrived.get(name) ?? 0) + 1);
    }
  };

  return {
    look,
    async sum(raised) {
      await look();
      const rows = await platform.database.rows(deliveries);
      const lost = rows.filter(({ endpoint, event }) => !arrived.has(nameOf(endpoint, publicEventId(event))));
      const kept = new Set(rows.map(({ training }) => training));
      return {
        deliveries: rows.length,
        lost: lost.length,
        unnoted: rows.filter(({ status }) => status !== 'ok').length - lost.length,
        duplicates: [...arrived.values()].reduce((sum, times) => sum + times - 1, 0),
        requests,
        forgotten: [...raised].filter((training) => !kept.has(training)).length,
      };
    },
  };
};
