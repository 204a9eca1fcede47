import { expect } from 'vitest';
import { eraseAll, erasePerson } from '../../src/modules/erasure/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import type { ErasureKey } from '../../src/modules/erasure/store.ts';
import type { Team } from '../../src/platform/team.ts';
import { withSql } from '../support/postgres.ts';
import type { TestService } from '../support/service.ts';
import type { TestTeam } from '../support/team.ts';
import type { World } from '../support/world.ts';

/** Every row of every table of every schema, as text. */
const dump = (service: TestService): Promise<string[]> =>
  withSql(service, async (sql) => {
    const { rows: tables } = await sql.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name from pg_class k join pg_namespace n on n.oid = relnamespace
        where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg_toast%'`,
    );
    const lines: string[] = [];
    for (const { name } of tables) {
      const { rows } = await sql.query<{ line: string }>(`select t::text as line from ${name} t`);
      lines.push(...rows.map(({ line }) => `${name}: ${line}`));
    }
    return lines;
  });

/** A row's text doubles the quotes of its values, and JSON escapes them. */
const plain = (line: string): string => line.replaceAll(/[\\"]/g, '').toLowerCase();

/**
 * The ids of deleted rows stay for a while, so that readers delete their copies of them. The table has nothing but ids
 * and times.
 */
const isDeletion = (line: string): boolean => line.startsWith('public.deletion: ');

/** The rows of the whole database that contain one of these texts, in any case. */
export const linesNaming = async (service: TestService, texts: readonly string[]): Promise<string[]> => {
  const wanted = texts.map(plain);
  return (await dump(service)).filter((line) => !isDeletion(line) && wanted.some((text) => plain(line).includes(text)));
};

export const inOtherForms = ({ needles }: Pick<World, 'needles'>): string[] => {
  const readable = needles.email.replace('xn--srgel-jua', 'sörgel');
  return [...Object.values(needles), readable, encodeURIComponent(needles.email)];
};

export const pendingOf = async (service: TestService, teamId: string): Promise<ErasureKey> => {
  const { tenantId, id } = await service.database.prisma.erasure.findFirstOrThrow({ where: { tenantId: teamId } });
  return { tenantId, id };
};

export const asOwner = async (team: TestTeam): Promise<Team> => ({
  ...(await team.acting()),
  actor: { kind: 'person', userId: team.owner.user_id },
});

/** The owner ends the membership of the person whom the texts of the world name. */
export const removeFrom = async ({ team, needles }: Pick<World, 'team' | 'needles'>): Promise<void> =>
  removeMember(await asOwner(team), needles.memberId);

export const operator = { kind: 'operator' } as const;
export const erase = async (service: TestService, email: string, platform = service.platform): Promise<void> => {
  for (const key of await erasePerson(platform, operator, email)) await eraseAll(platform, key);
};

export const refusal = (code: string, detail?: RegExp) => ({
  code,
  ...(detail && { members: { detail: expect.stringMatching(detail) } }),
});
