import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { EndpointDelivery } from '../../../modules/webhooks/schema.ts';
import { app } from '../../server/server.ts';

type Seen = Pick<EndpointDelivery, 'status' | 'attempt'>;

/**
 * A delivery, asked for again while it is on its way; once it came to something else than when it was last seen, whatever
 * is on show is asked for anew. That it was on its way may never have been seen: many an attempt is over within a few milliseconds.
 */
export const useDelivery = (delivery_id: string, begun?: Seen) => {
  const queries = useQueryClient();
  const before = useRef(begun);
  const answer = app.useAnswer(
    'webhookHistory.delivery',
    { delivery_id },
    { refetchInterval: ({ status }) => (status === 'pending' ? 1_000 : false) },
  );
  const { status, attempt } = answer.data ?? {};
  useEffect(() => {
    if (status === undefined || attempt === undefined) return;
    const was = before.current;
    before.current = { status, attempt };
    const isNews = was !== undefined && (was.status !== status || was.attempt !== attempt);
    if (isNews && status !== 'pending') void queries.invalidateQueries();
  }, [status, attempt, queries]);
  return answer;
};
