import type { Connection } from '../../../modules/crm/schema.ts';

type ConnectionFacts = Pick<Connection, 'status' | 'running' | 'requested' | 'has_token'>;

/** The actions on a connection. If the team's plan does not include the API, it can only be paused. */
export const actionsOn = (
  { status, running, requested, has_token: hasToken }: ConnectionFacts,
  hasApi: boolean,
): Readonly<Record<'sync' | 'renew' | 'pause' | 'resume', boolean>> => ({
  sync: hasApi && hasToken && running === null && !requested,
  renew: hasApi,
  // A connection with a refused token can't be paused or resumed. A new token starts its schedule again.
  pause: status === 'active',
  resume: hasApi && status === 'paused',
});
