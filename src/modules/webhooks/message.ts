import { createHmac } from 'node:crypto';

/** The version of events that new endpoints get; an endpoint keeps the one it was created with. */
export const apiVersion = '2026-11';

/** An event's id as receivers see it. */
export const publicEventId = (id: string): string => `evt_${id.replaceAll('-', '')}`;

interface Told {
  tenantId: string;
  eventId: string;
  type: string;
  /** Of the event, as answers write times. */
  createdAt: string;
  apiVersion: string;
  data: unknown;
}

/** What is sent: the same bytes at every attempt. */
export const bodyOf = ({ tenantId, eventId, type, createdAt, apiVersion, data }: Told): string =>
  JSON.stringify({
    id: publicEventId(eventId),
    type,
    created_at: createdAt,
    api_version: apiVersion,
    tenant_id: tenantId,
    data,
  });

/** The value of `Svc-Signature`; the whole secret, as it was shown, is the key. */
export const signatureOf = (secret: string, body: string, at: Date): string => {
  const t = Math.floor(at.getTime() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return `t=${t},v1=${v1}`;
};
