import { z } from 'zod';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import type { Team } from '../../platform/team.ts';
import { CompanySignInState, Demand, DomainPath, ProviderSettings, ProviderSwitch } from './schema.ts';
import * as service from './service.ts';

const stateAfter = async (team: Team, change: Promise<void>) => {
  await change;
  return toSnake(await service.companySignInState(team));
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
    .query(({ ctx }) => answer(service.companySignInState(ctx.team))),

  save: changeWithProof
    .input(ProviderSettings)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, service.saveProvider(ctx.team, toCamel(input)))),

  switch: changeWithProof
    .input(ProviderSwitch)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, service.switchProvider(ctx.team, input.enabled))),

  remove: changeWithProof
    .input(z.strictObject({}))
    .mutation(({ ctx }) => stateAfter(ctx.team, service.removeProvider(ctx.team))),

  addDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, service.addDomain(ctx.team, input.domain))),

  proveDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, service.proveDomain(ctx.team, input.domain))),

  removeDomain: changeWithProof
    .input(DomainPath)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, service.removeDomain(ctx.team, input.domain))),

  demand: changeWithProof
    .input(Demand)
    .mutation(({ ctx, input }) => stateAfter(ctx.team, service.demandSignIn(ctx.team, input.demand, ctx.way))),
});
