import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { countByHand } from './by-hand.ts';
import { deliveryColumns, presentDelivery } from './deliveries.ts';
import type { DeliveryRow } from './deliveries.ts';
import { lockEndpoint } from './endpoint-rows.ts';
import type { WebhookDelivery } from './schema.ts';

const endpointOf = statement<{ endpoint_id: string }, [tenantId: string, id: string]>(
  'select endpoint_id from webhook_delivery where tenant_id = $1 and id = $2',
);

const lockWaiting = statement<{ sending: boolean }, [tenantId: string, deliveryId: string, now: Date]>(
  `select claim_id is not null and due_at > $3 as sending
     from webhook_waiting where tenant_id = $1 and delivery_id = $2 for update`,
);

const lockDelivery = statement<DeliveryRow, [tenantId: string, id: string]>(
  `select ${deliveryColumns} from webhook_delivery where tenant_id = $1 and id = $2 for no key update`,
);

const sendNow = statement<Record<never, never>, [tenantId: string, deliveryId: string, endpointId: string, now: Date]>(
  `insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand) values ($1, $2, $3, $4, true)
       on conflict (tenant_id, delivery_id) do update set due_at = excluded.due_at, claim_id = null, by_hand = true`,
);

const setAside = statement<DeliveryRow, [tenantId: string, id: string, now: Date]>(
  `update webhook_delivery
      set status = 'pending', resume_status = status, resume_at = next_try_at, next_try_at = $3
    where tenant_id = $1 and id = $2
   returning ${deliveryColumns}`,
);

const notNow = (detail: string): never => fail('validation_error', { field: 'status', detail });

/**
 * Tries a failed or given-up delivery again at once, whatever its endpoint's status. What it was and when its schedule goes on
 * is kept, to go back to if that fails. See the states of a delivery.
 */
export const retryDelivery = (team: Team, id: string): Promise<WebhookDelivery> =>
  inTransaction(team, async (tx) => {
    const [known] = isId(id) ? await rowsIn(tx, endpointOf, team.id, id) : [];
    const endpoint = await lockEndpoint(tx, team, known?.endpoint_id ?? fail('not_found'));
    const now = team.platform.clock.now();
    const [waiting] = await rowsIn(tx, lockWaiting, team.id, id, now);
    const [before = fail('not_found')] = await rowsIn(tx, lockDelivery, team.id, id);
    const { status, event_id, event_type } = before;
    if (status === 'ok') notNow('It was delivered already.');
    if (status === 'pending') notNow('It waits to be sent already.');
    if (waiting?.sending) notNow('An attempt is being made right now.');

    await countByHand(tx, team, endpoint.id);
    await rowsIn(tx, sendNow, team.id, id, endpoint.id, now);
    const [after = before] = await rowsIn(tx, setAside, team.id, id, now);
    await record(tx, team, {
      action: 'webhook_delivery.retried',
      target: { type: 'webhook_delivery', id },
      data: { endpoint_id: endpoint.id, event_id, event_type: event_type ?? '', from: status },
    });
    return presentDelivery(after);
  });
