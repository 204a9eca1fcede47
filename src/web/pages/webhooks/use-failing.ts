import { app } from '../../server/server.ts';

/** Since when nothing got through to endpoints that fail, by endpoint: those that failed longest. */
export const useFailing = (): ReadonlyMap<string, string> => {
  const { data } = app.useAnswer('team.overview', {});
  return new Map(data?.endpoints.failing.map(({ endpoint_id, failing_since }) => [endpoint_id, failing_since]));
};
