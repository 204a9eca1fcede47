import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Connection } from '../../../modules/crm/schema.ts';
import { app } from '../../server/server.ts';
import { isBusy } from './connection-state.tsx';

const busyMs = 1_500;
const idleMs = 30_000;

const pauseUntilRefetch = (connections: readonly Connection[]): number | false => {
  if (connections.some(isBusy)) return busyMs;
  return connections.some(({ next_sync_at }) => next_sync_at !== null) ? idleMs : false;
};

/** Reloads everything on the page when a sync ends: its runs, deals and objections. */
const useRefreshAfterSync = (connections: readonly Connection[] | undefined): void => {
  const queries = useQueryClient();
  const before = useRef<string>(undefined);
  const ended = connections?.map(({ connection_id, last_sync_at }) => `${connection_id} ${last_sync_at ?? ''}`).join();
  useEffect(() => {
    if (ended === undefined) return;
    if (before.current !== undefined && before.current !== ended) void queries.invalidateQueries();
    before.current = ended;
  }, [ended, queries]);
};

/** The team's connections, polled while one of them syncs. */
export const useConnections = () => {
  const answer = app.useAnswer('crm.connections', {}, { refetchInterval: ({ data }) => pauseUntilRefetch(data) });
  useRefreshAfterSync(answer.data?.data);
  return answer;
};

/** One connection, polled in the same way. */
export const useConnection = (connection_id: string, { enabled }: { enabled: boolean }) => {
  const answer = app.useAnswer(
    'crm.connection',
    { connection_id },
    { enabled, refetchInterval: (connection) => pauseUntilRefetch([connection]) },
  );
  useRefreshAfterSync(answer.data && [answer.data]);
  return answer;
};
