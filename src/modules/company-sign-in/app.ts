import { z } from 'zod';
import type { SignInWay } from '../../core/sign-in-demand.ts';
import { toCamel, toSnake } from '../../core/spelling.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import type { Team } from '../../platform/team.ts';
import { mailUsage } from '../mail/budget.ts';
import { OwnCompanySignInState, Demand, DomainPath, ProviderSettings, ProviderSwitch } from './schema.ts';
import * as service from './service.ts';

interface SignedInCaller {
  readonly team: Team;
  readonly way: SignInWay;
}

const stateFor = async ({ team, way }: SignedInCaller) => {
  const { used, max } = await mailUsage(team, 'notice');
  return { ...toSnake(await service.companySignInState(team)), way, mails_left: Math.max(0, max - used) };
};

const stateAfter = async (asking: SignedInCaller, change: Promise<void>) => {
  await change;
  return stateFor(asking);
};

/**
 * An admin who chooses the provider could sign in as any other admin through it. So this needs the right `keys`, which
 * only the owner gives.
 */
const needs = 'keys';

const changeWithProof = personProcedure.meta({ needs, freshProof: true }).output(OwnCompanySignInState);

export const companySignIn = personRouter({
  state: personProcedure
    .meta({ needs })
    .input(z.strictObject({}))
    .output(OwnCompanySignInState)
    .query(({ ctx }) => stateFor(ctx)),

  save: changeWithProof
    .input(ProviderSettings)
    .mutation(({ ctx, input }) => stateAfter(ctx, service.saveProvider(ctx.team, toCamel(input)))),

  switch: changeWithProof
    .input(ProviderSwitch)
    .mutation(({ ctx, input }) => stateAfter(ctx, service.switchProvider(ctx.team, input.enabled))),

  remove: changeWithProof
    .input(z.strictObject({}))
    .mutation(({ ctx }) => stateAfter(ctx, service.removeProvider(ctx.team))),

  addDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx, service.addDomain(ctx.team, input.domain))),

  proveDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx, service.proveDomain(ctx.team, input.domain))),

  removeDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx, service.removeDomain(ctx.team, input.domain))),

  demand: changeWithProof
    .input(Demand)
    .mutation(({ ctx, input }) => stateAfter(ctx, service.demandSignIn(ctx.team, toCamel(input), ctx.way))),
});
