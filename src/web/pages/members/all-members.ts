import { readAllPages } from '../../server/all-pages.ts';
import { client, type AppInputs, type AppOutputs } from '../../server/server.ts';

type ListedMember = AppOutputs['members']['list']['data'][number];

export const readAllMembers = (matching: AppInputs['members']['count']): Promise<ListedMember[]> =>
  readAllPages((after) => client.app.members.list.query({ ...matching, ...after, limit: 200 }));
