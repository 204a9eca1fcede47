import { client, type AppInputs, type AppOutputs } from '../../server/server.ts';

type Listed = AppOutputs['members']['list']['data'][number];

/** All members that match, page by page. */
export const readAllMembers = async (matching: AppInputs['members']['count']): Promise<Listed[]> => {
  const all: Listed[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client.app.members.list.query({ ...matching, limit: 200, ...(cursor && { cursor }) });
    all.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
};
