import { z } from 'zod';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { PrivacyChange, SettingsChange, TeamOverview, TeamSettings } from './schema.ts';
import { teamOverview, teamSettings } from './overview.ts';
import { changeTeam } from './service.ts';

const settingsProcedure = adminProcedure.output(TeamSettings);

export const team = personRouter({
  overview: adminProcedure
    .input(z.strictObject({}))
    .output(TeamOverview)
    .query(({ ctx }) => teamOverview(ctx.team, ctx.language)),

  settings: settingsProcedure.input(z.strictObject({})).query(({ ctx }) => teamSettings(ctx.team)),

  change: settingsProcedure.input(SettingsChange).mutation(async ({ ctx, input }) => {
    await changeTeam(ctx.team, input);
    return teamSettings(ctx.team);
  }),

  setPrivacy: settingsProcedure.input(PrivacyChange).mutation(async ({ ctx, input }) => {
    const { member_detail_enabled: memberDetail, leaderboard_enabled: leaderboard } = input;
    await changeTeam(ctx.team, { memberDetail, leaderboard });
    return teamSettings(ctx.team);
  }),
});
