import { TRPCError } from '@trpc/server';
import { expect } from 'vitest';
import type { Language } from '../../src/core/language.ts';
import type { Scope } from '../../src/core/scopes.ts';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { refusalFor } from '../../src/modules/sign-ins/visitor.ts';
import type { Team } from '../../src/platform/team.ts';
import type { TestTeam } from './team.ts';

export interface Somebody {
  memberId: string;
  userId: string;
  role: 'owner' | 'admin' | 'member';
  rights: readonly string[];
}

const ownerOf = ({ owner }: TestTeam): Somebody => ({
  memberId: owner.member_id,
  userId: owner.user_id,
  role: 'owner',
  rights: [],
});

const actingAs = async (team: TestTeam, { userId }: Somebody): Promise<Team> => ({
  ...(await team.acting()),
  actor: { kind: 'person', userId },
});

/** Calls procedures of the app as a person of the team, by default its owner. */
export const inTheApp = async (team: TestTeam, person = ownerOf(team), language: Language = 'de') =>
  appRouter.createCaller({
    person,
    refusalOf: (need) => refusalFor(person, need),
    hasFreshProof: true,
    way: 'password',
    language,
    team: await actingAs(team, person),
  });

/** Calls procedures of the public API from the app, as a person of the team with these scopes. */
export const apiInTheApp = async (team: TestTeam, scopes: readonly Scope[], person = ownerOf(team)) =>
  publicRouter.createCaller({
    principal: { kind: 'person', scopes: new Set(scopes) },
    language: 'de',
    team: await actingAs(team, person),
  });

/** An active member of the team, for `inTheApp`. */
export const aColleague = async (
  team: TestTeam,
  role: 'admin' | 'member' = 'member',
  rights: string[] = [],
): Promise<Somebody> => {
  const { id, user_id } = await team.anActiveMember({ role, rights });
  return { memberId: id, userId: user_id ?? '', role, rights };
};

const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (error) {
    return error instanceof TRPCError ? error : Promise.reject(error);
  }
};

/** The call fails with this problem, or the procedure refuses it with a tRPC error before any rule runs. */
export const expectRefusal = async (
  call: Promise<unknown>,
  refusal: 'FORBIDDEN' | 'BAD_REQUEST' | { code: string; members?: object; spoken?: object },
): Promise<void> => {
  const failure = await failureOf(call);
  expect(failure).toBeInstanceOf(TRPCError);
  expect(failure).toMatchObject(typeof refusal === 'string' ? { code: refusal } : { cause: refusal });
};
