import { z } from 'zod';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import type { Team } from '../../platform/team.ts';
import { CompanySignInState, Demand, DomainPath, ProviderSettings, ProviderSwitch } from './schema.ts';
import {
  addDomain,
  companySignInState,
  demandSignIn,
  proveDomain,
  removeDomain,
  removeProvider,
  saveProvider,
  switchProvider,
} from './service.ts';

const stateAfter = async (team: Team, change: Promise<void>) => {
  await change;
  return companySignInState(team);
};

/**
 * An admin who chooses the provider could let it vouch for any other admin. So this needs the right `keys`, which only the owner gives.
 */
const needs = 'keys';

const changeWithProof = personProcedure.meta({ needs, freshProof: true }).output(CompanySignInState);

export const companySignIn = personRouter({
  state: personProcedure
    .meta({ needs })
    .input(z.strictObject({}))
    .output(CompanySignInState)
    .query(({ ctx }) => companySignInState(ctx.team)),

  save: changeWithProof
    .input(ProviderSettings)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, saveProvider(ctx.team, input))),

  switch: changeWithProof
    .input(ProviderSwitch)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, switchProvider(ctx.team, input.enabled))),

  remove: changeWithProof
    .input(z.strictObject({}))
    .mutation(({ ctx }) => stateAfter(ctx.team, removeProvider(ctx.team))),

  addDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, addDomain(ctx.team, input.domain))),

  proveDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, proveDomain(ctx.team, input.domain))),

  removeDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, removeDomain(ctx.team, input.domain))),

  demand: changeWithProof
    .input(Demand)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, demandSignIn(ctx.team, input.demand, ctx.way))),
});
