import { allNeeds } from '../../platform/team.ts';
import type { Need, Person } from '../../platform/team.ts';
import { keyRight } from '../keys/service.ts';

const isAdmin = ({ role }: Pick<Person, 'role'>): boolean => role !== 'member';

type MayCall = (person: Pick<Person, 'role' | 'rights'>) => boolean;

const needs: Readonly<Record<Need, { isMet: MayCall; refusal: string }>> = {
  member: { isMet: () => true, refusal: '' },
  admin: { isMet: isAdmin, refusal: 'Only the owner and admins of the team may do this.' },
  keys: {
    isMet: (person) => person.role === 'owner' || (isAdmin(person) && person.rights.includes(keyRight)),
    refusal: `Only the owner and admins with the right ${keyRight} may do this.`,
  },
  owner: { isMet: ({ role }) => role === 'owner', refusal: 'Only the owner of the team may do this.' },
};

/** Why a person may not call procedures with a need; undefined if they may. */
export const refusalFor = (person: Pick<Person, 'role' | 'rights'>, need: Need): string | undefined =>
  needs[need].isMet(person) ? undefined : needs[need].refusal;

/** All needs that a person meets. The app shows what they may do by these; every procedure checks its own again. */
export const needsMetBy = (person: Pick<Person, 'role' | 'rights'>): Need[] =>
  allNeeds.filter((need) => refusalFor(person, need) === undefined);
