import type { EventType } from '../../src/core/events.ts';
import { newId } from '../../src/core/ids.ts';
import type { TestService } from './service.ts';

interface Wanted {
  events: EventType[];
  status?: 'active' | 'disabled' | 'disabled_failures';
}

/** An endpoint of a team; nothing is ever sent to it. */
export const anEndpoint = async (
  { database, clock }: TestService,
  { id: tenantId }: { id: string },
  { events, status = 'active' }: Wanted,
): Promise<string> => {
  const id = newId();
  await database.prisma.webhookEndpoint.create({
    data: {
      tenantId,
      id,
      url: 'https://example.com/',
      events,
      status,
      apiVersion: '2026-11',
      secret: Uint8Array.from([1]),
      createdAt: clock.now(),
    },
  });
  return id;
};
