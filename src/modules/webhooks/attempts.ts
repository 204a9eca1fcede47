import { leastIdSince, timeOfId } from '../../core/id-time.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { RawJson } from '../../core/raw-json.ts';
import { statement } from '../../db/statement.ts';
import { rawOf } from '../../platform/free-form.ts';
import { withinBudget } from '../../platform/page-budget.ts';
import type { Team } from '../../platform/team.ts';
import type { Attempt } from './history-schema.ts';
import { bodyOf } from './message.ts';

interface Sent {
  event_id: string;
  event_type: string;
  api_version: string;
  /** Null where the event was cut by age. */
  event_at: string | null;
  data: Record<string, unknown> | null;
}

const sent = statement<Sent, [tenantId: string, deliveryId: string]>(
  `select d.event_id, d.event_type, e.api_version, v.created_at as event_at, v.data
     from webhook_delivery d
     join webhook_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
     left join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id
    where d.tenant_id = $1 and d.id = $2`,
);

/** By hand there is no end to them; the newest tell enough. */
const shown = 200;

interface AttemptRow extends Omit<Attempt, 'request_body' | 'request_headers' | 'response_headers'> {
  /** JSON, as the database writes it. */
  request_headers: string;
  response_headers: string | null;
}

const plain = 'id, number, manual, started_at, url, response_code, response_excerpt, response_ms, error';

// Headers of a receiver and the body, which each attempt repeats, may come to 30 kB: so many as fit into a page are shown.
const attempts = statement<
  AttemptRow,
  [tenantId: string, deliveryId: string, leastId: string, limit: number, bodyBytes: number]
>(
  withinBudget({
    page: `select ${plain}, request_headers, response_headers
             from webhook_attempt
            where tenant_id = $1 and delivery_id = $2 and id >= $3
            order by number desc, id desc limit $4`,
    order: 'number desc, id desc',
    columns: `${plain}, request_headers::text, response_headers::text`,
    bytes: `$5::int + octet_length(request_headers::text) + coalesce(octet_length(response_headers::text), 0)
              + json_bytes(response_excerpt) + json_bytes(url)`,
  }),
);

/** What an event's data tells of a single person. */
const isPersonal = (data: Record<string, unknown>): boolean => 'user_id' in data || 'score' in data;

/** The body that was sent, made again as every attempt makes it. */
const bodySent = (team: Team, { event_id, event_type, api_version, event_at, data }: Sent): string | null => {
  if (event_at === null || data === null) return null;
  if (isPersonal(data) && !team.privacy.memberDetail) return null;
  return bodyOf({
    tenantId: team.id,
    eventId: event_id,
    type: event_type,
    createdAt: event_at,
    apiVersion: api_version,
    data,
  });
};

/** The attempts to send a delivery, the last one first. */
export const attemptsOf = async (team: Team, deliveryId: string): Promise<Attempt[]> => {
  const { database } = team.platform;
  const [delivery] = isId(deliveryId) ? await database.rows(sent, team.id, deliveryId) : [];
  const request_body = bodySent(
    team,
    delivery ?? fail('not_found', { detail: 'The team has no such delivery, or it is no longer kept.' }),
  );
  const bodyBytes = Buffer.byteLength(JSON.stringify(request_body));
  const least = leastIdSince(timeOfId(deliveryId));
  const rows = await database.rows(attempts, team.id, deliveryId, least, shown, bodyBytes);
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    manual: row.manual,
    started_at: row.started_at,
    url: row.url,
    request_headers: new RawJson(row.request_headers),
    request_body,
    response_code: row.response_code,
    response_headers: rawOf(row.response_headers),
    response_excerpt: row.response_excerpt,
    response_ms: row.response_ms,
    error: row.error,
  }));
};
