import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../core/problem.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { findMember } from './membership.ts';
import { members } from './store.ts';

/** Gives a member exactly these rights beyond their role. */
export const setRights = (caller: Team, id: string, wanted: readonly string[]): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const member = await findMember(tx, team, id);
    if (member.role === 'owner') fail('owner', { detail: 'The owner has every right.' });
    const from = member.rights.toSorted();
    const to = [...new Set(wanted)].toSorted();
    if (isDeepStrictEqual(from, to)) return;
    await members.update(tx, team, id, { rights: to });
    await record(tx, team, { action: 'member.rights_changed', target: { type: 'member', id }, data: { from, to } });
  });
