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

export const companySignIn = personRouter({
  state: personProcedure
    .meta({ needs, summary: 'How the team’s company account is set up' })
    .input(z.strictObject({}))
    .output(CompanySignInState)
    .query(({ ctx }) => companySignInState(ctx.team)),

  save: personProcedure
    .meta({ needs, freshProof: true, summary: 'Set up or change the identity provider' })
    .input(ProviderSettings)
    .output(CompanySignInState)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, saveProvider(ctx.team, input))),

  switch: personProcedure
    .meta({ needs, freshProof: true, summary: 'Switch signing in with the company account on or off' })
    .input(ProviderSwitch)
    .output(CompanySignInState)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, switchProvider(ctx.team, input.enabled))),

  remove: personProcedure
    .meta({ needs, freshProof: true, summary: 'Delete the identity provider and its domains' })
    .input(z.strictObject({}))
    .output(CompanySignInState)
    .mutation(({ ctx }) => stateAfter(ctx.team, removeProvider(ctx.team))),

  addDomain: personProcedure
    .meta({ needs, freshProof: true, summary: 'Add a domain whose addresses may sign in, once it is proven' })
    .input(DomainPath)
    .output(CompanySignInState)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, addDomain(ctx.team, input.domain))),

  proveDomain: personProcedure
    .meta({ needs, freshProof: true, summary: 'Check the DNS record that proves a domain' })
    .input(DomainPath)
    .output(CompanySignInState)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, proveDomain(ctx.team, input.domain))),

  removeDomain: personProcedure
    .meta({ needs, freshProof: true, summary: 'Remove a domain' })
    .input(DomainPath)
    .output(CompanySignInState)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, removeDomain(ctx.team, input.domain))),

  demand: personProcedure
    .meta({ needs, freshProof: true, summary: 'Demand the company account or a second factor from the members' })
    .input(Demand)
    .output(CompanySignInState)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, demandSignIn(ctx.team, input.demand, ctx.way))),
});
