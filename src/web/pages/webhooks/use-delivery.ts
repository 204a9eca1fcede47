import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { EndpointDelivery } from '../../../modules/webhooks/history-schema.ts';
import { languageNow } from '../../language/language.ts';
import { app } from '../../server/server.ts';
import { currentTeam } from '../../session/current-team.ts';

interface Found {
  delivery: EndpointDelivery;
  /** Of the page that it is on, which begins at the same place whatever is added. */
  cursor: string | undefined;
}

interface Wanted {
  endpoint_id: string;
  deliveryId: string;
  limit: number;
}

/** How many pages are looked through; who wants something older has its link no more. */
const pages = 25;

/** Deliveries are listed newest first, which is also by their ids. */
const find = async (
  { endpoint_id, deliveryId, limit }: Wanted,
  from: string | undefined,
  signal: AbortSignal,
): Promise<Found | null> => {
  let cursor = from;
  for (let page = 0; page < pages; page += 1) {
    const asked = { endpoint_id, limit, ...(cursor !== undefined && { cursor }) };
    const { data, next_cursor } = await app.ask('webhookHistory.deliveries', asked, signal);
    const delivery = data.find(({ id }) => id === deliveryId);
    if (delivery) return { delivery, cursor };
    if (next_cursor === null || data.some(({ id }) => id < deliveryId)) return null;
    cursor = next_cursor;
  }
  return null;
};

/**
 * A delivery, asked for again while it is on its way; once it is not, everything else on show is asked for anew. Null where
 * the endpoint has none like it.
 */
export const useDelivery = (endpoint_id: string, deliveryId: string, begun?: 'pending') => {
  const queries = useQueryClient();
  const { data: limits } = app.useAnswer('reference.limits', {});
  const limit = limits?.page_size.most;
  const place = useRef<string>(undefined);
  const answer = useQuery({
    queryKey: ['app', 'webhookHistory.deliveries', languageNow(), currentTeam(), { endpoint_id, deliveryId }],
    queryFn: async ({ signal }) => {
      const found = await find({ endpoint_id, deliveryId, limit: limit ?? 1 }, place.current, signal);
      place.current = found?.cursor;
      return found?.delivery ?? null;
    },
    enabled: limit !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 1_000 : false),
  });

  const status = answer.data?.status;
  const before = useRef<EndpointDelivery['status'] | undefined>(begun);
  useEffect(() => {
    const settled = before.current === 'pending' && status !== undefined && status !== 'pending';
    if (status !== undefined) before.current = status;
    if (settled) void queries.invalidateQueries();
  }, [status, queries]);
  return answer;
};
