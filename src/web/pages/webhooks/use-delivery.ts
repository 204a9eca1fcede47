import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { EndpointDelivery } from '../../../modules/webhooks/history-schema.ts';
import { app } from '../../server/server.ts';

/** A delivery, asked for again while it is on its way; once it is not, everything else on show is asked for anew. */
export const useDelivery = (delivery_id: string, begun?: 'pending') => {
  const queries = useQueryClient();
  const before = useRef<EndpointDelivery['status'] | undefined>(begun);
  const answer = app.useAnswer(
    'webhookHistory.delivery',
    { delivery_id },
    { refetchInterval: ({ status }) => (status === 'pending' ? 1_000 : false) },
  );
  const status = answer.data?.status;
  useEffect(() => {
    const settled = before.current === 'pending' && status !== undefined && status !== 'pending';
    if (status !== undefined) before.current = status;
    if (settled) void queries.invalidateQueries();
  }, [status, queries]);
  return answer;
};
