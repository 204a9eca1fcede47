import { days, later } from '../../core/clock.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import { findEndpoint } from './endpoint-rows.ts';
import type { Day } from './history-schema.ts';

const counted = statement<Day, [tenantId: string, endpointId: string, first: string]>(
  `select day::text as day, delivered, failed, round(total_ms::numeric / nullif(delivered + failed, 0))::int as mean_ms,
          case when delivered + failed > 0 then slowest_ms end as slowest_ms
     from webhook_endpoint_day where tenant_id = $1 and endpoint_id = $2 and day >= $3::date`,
);

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const quiet = (day: string): Day => ({ day, delivered: 0, failed: 0, mean_ms: null, slowest_ms: null });

/** What the attempts of each of the last days (UTC) came to, today's last. */
export const daysOf = async (
  team: Team,
  { endpoint_id, days: wanted }: { endpoint_id: string; days: number },
): Promise<Day[]> => {
  const { database, clock } = team.platform;
  const { id } = await findEndpoint(team, endpoint_id);
  const now = clock.now();
  const shown = Array.from({ length: wanted }, (_, at) => dayOf(later(now, -days(wanted - 1 - at))));
  const rows = await database.rows(counted, team.id, id, shown[0] ?? dayOf(now));
  const known = new Map(rows.map((row) => [row.day, row]));
  return shown.map((day) => known.get(day) ?? quiet(day));
};
