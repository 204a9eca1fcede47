import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import { rawOf } from '../../platform/free-form.ts';
import { newestFirst } from '../../platform/newest-first.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { Case } from './schema.ts';

/** A case's row, as every read of cases selects it. */
export interface CaseRow {
  id: string;
  user_id: string;
  title: string | null;
  persona_id: string | null;
  /** JSON, as the database writes it. */
  fields: string | null;
  external_ref: string | null;
  created_at: string;
}

type PageWanted = { cursor?: string | undefined; limit: number };

const columns = 'id, user_id, title, persona_id, fields::text, external_ref::text, created_at';

/** A case may have some 130 kB, and 255 kB from before its parts were limited. */
const bulk = {
  plain: ['id', 'user_id', 'created_at'],
  large: {
    title: { column: 'title' },
    persona_id: { column: 'persona_id' },
    fields: { column: 'fields', as: '::text' },
    external_ref: { column: 'external_ref', as: '::text' },
  },
  bytes: 'bytes',
  always: true,
};

const teamCase = statement<CaseRow, [tenantId: string, id: string]>(
  `select ${columns} from "case" where tenant_id = $1 and id = $2 and not private`,
);

const ownCase = statement<CaseRow, [tenantId: string, id: string, userId: string]>(
  `select ${columns} from "case" where tenant_id = $1 and id = $2 and private and user_id = $3`,
);

const teamCases = newestFirst<CaseRow, 'created_at', 'user_id'>({
  list: 'cases',
  order: ['created_at', 'id'],
  at: 'created_at',
  sql: (conditions, selected) =>
    `select ${selected} from "case" where tenant_id = $1 and private = false ${conditions} order by created_at desc, id desc limit $2`,
  bulk,
  filters: { user_id: { kind: 'id', sql: 'user_id = ?' } },
});

const ownCases = newestFirst<CaseRow, 'created_at', 'user_id'>({
  list: 'own cases',
  order: ['created_at', 'id'],
  at: 'created_at',
  sql: (conditions, selected) =>
    `select ${selected} from "case" where tenant_id = $1 and private = true ${conditions} order by created_at desc, id desc limit $2`,
  bulk,
  filters: { user_id: { kind: 'id', sql: 'user_id = ?' } },
});

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
export const getCase = async (team: Team, id: string): Promise<Case> => {
  const [row] = isId(id) ? await team.platform.database.rows(teamCase, team.id, id) : [];
  return presentCase(row ?? fail('not_found'));
};

/** A member's own private case; nobody else finds it. */
export const getOwnCase = async (team: Team, userId: string, id: string): Promise<Case> => {
  const [row] = isId(id) ? await team.platform.database.rows(ownCase, team.id, id, userId) : [];
  return presentCase(row ?? fail('not_found'));
};

/** The team's cases, those of former members too. */
export const listCases = async (
  team: Team,
  { user_id, ...query }: PageWanted & { user_id?: string | undefined },
): Promise<Page<Case>> => presentPage(await teamCases(team, query, { user_id }));

/** A member's own private cases. */
export const listOwnCases = async (team: Team, userId: string, query: PageWanted): Promise<Page<Case>> =>
  presentPage(await ownCases(team, query, { user_id: userId }));
