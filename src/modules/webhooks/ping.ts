import { newId } from '../../core/ids.ts';
import { rowsIn } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { countByHand } from './by-hand.ts';
import { lockEndpoint } from './endpoint-rows.ts';
import { deliver } from './raise.ts';
import type { StartedDelivery } from './schema.ts';

const insertPing = statement<Record<never, never>, unknown[]>(
  `insert into webhook_event (tenant_id, id, type, data, created_at) values ($1, $2, 'ping', $3, $4)`,
);

/** Sends an endpoint a `ping`, whatever its status. */
export const testEndpoint = (team: Team, endpointId: string): Promise<StartedDelivery> =>
  inTransaction(team, async (tx) => {
    const { id } = await lockEndpoint(tx, team, endpointId);
    await countByHand(tx, team, id);
    const [eventId, at] = [newId(), team.platform.clock.now()];
    await rowsIn(tx, insertPing, team.id, eventId, JSON.stringify({ team_id: team.id, endpoint_id: id }), at);
    const [deliveryId = ''] = await deliver(tx, team, at, [{ endpointId: id, eventId, type: 'ping' }]);
    await record(tx, team, {
      action: 'webhook_endpoint.tested',
      target: { type: 'webhook_endpoint', id },
      data: { delivery_id: deliveryId },
    });
    return { delivery_id: deliveryId, status: 'pending' };
  });
