import { z } from 'zod';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { PrivacyChange, SettingsChange, TeamOverview, TeamSettings } from './schema.ts';
import { teamOverview, teamSettings } from './overview.ts';
import { changeTeam } from './service.ts';

export const team = personRouter({
  overview: personProcedure
    .meta({ needs: 'admin', summary: 'How the team is getting on' })
    .input(z.strictObject({}))
    .output(TeamOverview)
    .query(({ ctx }) => teamOverview(ctx.team, ctx.language)),

  settings: personProcedure
    .meta({ needs: 'admin', summary: 'The settings of the team' })
    .input(z.strictObject({}))
    .output(TeamSettings)
    .query(({ ctx }) => teamSettings(ctx.team)),

  change: personProcedure
    .meta({ needs: 'admin', summary: 'Change the team’s name or language' })
    .input(SettingsChange)
    .output(TeamSettings)
    .mutation(async ({ ctx, input }) => {
      await changeTeam(ctx.team, input);
      return teamSettings(ctx.team);
    }),

  setPrivacy: personProcedure
    .meta({ needs: 'admin', summary: 'Change the team’s privacy switches' })
    .input(PrivacyChange)
    .output(TeamSettings)
    .mutation(async ({ ctx, input }) => {
      const { member_detail_enabled: memberDetail, leaderboard_enabled: leaderboard } = input;
      await changeTeam(ctx.team, { memberDetail, leaderboard });
      return teamSettings(ctx.team);
    }),
});
