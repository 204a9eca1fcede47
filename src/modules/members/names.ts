import { isId } from '../../core/ids.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import type { PersonName } from './app-schema.ts';

// Of several memberships of a person the present one counts, else the last.
const names = statement<PersonName, [tenantId: string, userIds: string[]]>(
  `select u.id as user_id, case when m.status <> 'ended' then m.id end as member_id, p.name, m.email
     from team_user u
     join person p on p.id = u.person_id
     left join lateral (
       select id, status, email from member where tenant_id = $1 and user_id = u.id
        order by (status = 'ended'), listed_at desc limit 1) as m on true
    where u.tenant_id = $1 and u.id = any ($2::uuid[])`,
);

interface Asking {
  userId: string;
  role: 'owner' | 'admin' | 'member';
}

/**
 * Who people of the team are, former members too. Members are told of themselves alone; so is everybody while member details
 * are off.
 */
export const namesOf = async (
  { id, privacy, platform }: Team,
  { userId, role }: Asking,
  wanted: readonly string[],
): Promise<PersonName[]> => {
  const all = role !== 'member' && privacy.memberDetail;
  const ids = [...new Set(wanted)].filter((one) => isId(one) && (all || one === userId));
  return ids.length === 0 ? [] : platform.database.rows(names, id, ids);
};
