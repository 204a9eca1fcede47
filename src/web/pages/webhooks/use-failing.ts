import { app } from '../../server/server.ts';

/** Since when nothing got through to endpoints that fail, by endpoint. */
export const useFailing = (): ReadonlyMap<string, string> => {
  const { data } = app.useAnswer('webhookHistory.failing', {});
  return new Map(data?.endpoints.map(({ endpoint_id, failing_since }) => [endpoint_id, failing_since]));
};
