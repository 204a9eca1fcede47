import { TRPCError } from '@trpc/server';
import { expect } from 'vitest';
import type { Language } from '../../src/core/language.ts';
import { appRouter } from '../../src/modules/app-router.ts';
import type { TestTeam } from '../support/team.ts';

interface Somebody {
  memberId: string;
  userId: string;
  role: 'owner' | 'admin' | 'member';
}

/** Somebody of the team in the app; its owner, unless somebody else is named. */
export const inTheApp = async (team: TestTeam, who?: Somebody, language: Language = 'de') => {
  const person = who ?? { memberId: team.owner.member_id, userId: team.owner.user_id, role: 'owner' };
  return appRouter.createCaller({
    person,
    language,
    team: { ...(await team.acting()), actor: { kind: 'person', userId: person.userId } },
  });
};

/** An active member of the team, for `inTheApp`. */
export const aColleague = async (team: TestTeam, role: 'admin' | 'member' = 'member'): Promise<Somebody> => {
  const { id, user_id } = await team.anActiveMember({ role });
  return { memberId: id, userId: user_id ?? '', role };
};

const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (error) {
    return error instanceof TRPCError ? error : Promise.reject(error);
  }
};

/** The call ends with this problem, or is refused by the procedure itself before any rule is asked. */
export const expectRefusal = async (
  call: Promise<unknown>,
  refusal: 'FORBIDDEN' | 'BAD_REQUEST' | { code: string; members?: object },
): Promise<void> => {
  const failure = await failureOf(call);
  expect(failure).toBeInstanceOf(TRPCError);
  expect(failure).toMatchObject(typeof refusal === 'string' ? { code: refusal } : { cause: refusal });
};
