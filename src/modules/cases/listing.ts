import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { rawOf } from '../../platform/free-form.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { Case } from './schema.ts';
import { cases, privateCaseList, teamCaseList } from './store.ts';
import type { CaseRow } from './store.ts';

type PageWanted = { cursor?: string | undefined; limit: number };

export const presentCase = (row: CaseRow): Case => ({
  id: row.id,
  user_id: row.user_id,
  title: row.title,
  persona_id: row.persona_id,
  fields: rawOf(row.fields),
  external_ref: rawOf(row.external_ref),
  created_at: row.created_at,
});

const presentPage = (page: Page<CaseRow>): Page<Case> => ({ ...page, data: page.data.map(presentCase) });

/** A case of the team; a private one is not found. */
export const getCase = async ({ id: tenantId, platform }: Team, id: string): Promise<Case> => {
  const row = isId(id) ? await cases.ofTeam(platform.database, tenantId, id) : undefined;
  return presentCase(row ?? fail('not_found'));
};

/** A member's own private case; nobody else finds it. */
export const getOwnCase = async ({ id: tenantId, platform }: Team, userId: string, id: string): Promise<Case> => {
  const row = isId(id) ? await cases.privateOf(platform.database, tenantId, { userId, id }) : undefined;
  return presentCase(row ?? fail('not_found'));
};

/** The team's cases, those of former members too. */
export const listCases = async (
  team: Team,
  { user_id, ...query }: PageWanted & { user_id?: string | undefined },
): Promise<Page<Case>> => presentPage(await teamCaseList(team, query, { user_id }));

/** A member's own private cases. */
export const listOwnCases = async (team: Team, userId: string, query: PageWanted): Promise<Page<Case>> =>
  presentPage(await privateCaseList(team, query, { user_id: userId }));
