import { z } from 'zod';
import { answer, toCamel } from '../../core/spelling.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { PrivacyChange, SettingsChange, TeamSettings } from './schema.ts';
import { changeTeam } from './service.ts';
import { teamSettings } from './settings.ts';

const settingsProcedure = adminProcedure.output(TeamSettings);

export const team = personRouter({
  settings: settingsProcedure.input(z.strictObject({})).query(({ ctx }) => answer(teamSettings(ctx.team))),

  change: settingsProcedure.input(SettingsChange).mutation(async ({ ctx, input }) => {
    await changeTeam(ctx.team, toCamel(input));
    return answer(teamSettings(ctx.team));
  }),

  setPrivacy: settingsProcedure.input(PrivacyChange).mutation(async ({ ctx, input }) => {
    const { memberDetailEnabled: memberDetail, leaderboardEnabled: leaderboard } = toCamel(input);
    await changeTeam(ctx.team, { memberDetail, leaderboard });
    return answer(teamSettings(ctx.team));
  }),
});
