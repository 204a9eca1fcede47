import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { CrmDeal, CrmObjection } from './schema.ts';
import { dealList, objectionList } from './store.ts';

type PageOf<Item> = (team: Team, query: { cursor?: string | undefined; limit: number }) => Promise<Page<Item>>;

/** The deals that the team's active CRM connections brought in, the one first seen last at the top. */
export const listDeals: PageOf<CrmDeal> = dealList;

/** The objections of those deals, newest first. */
export const listObjections: PageOf<CrmObjection> = objectionList;
