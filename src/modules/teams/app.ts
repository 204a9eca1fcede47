import { z } from 'zod';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { PrivacyChange, SettingsChange, TeamOverview, TeamSettings } from './schema.ts';
import { changeTeam, teamOverview, teamSettings } from './service.ts';

export const team = appRouterOf({
  overview: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'How the team is getting on',
      input: z.strictObject({}),
      output: TeamOverview,
    },
    ({ ctx }) => teamOverview(ctx.team, ctx.language),
  ),

  settings: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'The settings of the team',
      input: z.strictObject({}),
      output: TeamSettings,
    },
    ({ ctx }) => teamSettings(ctx.team),
  ),

  change: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Change the team’s name or language',
      input: SettingsChange,
      output: TeamSettings,
    },
    async ({ ctx, input }) => {
      await changeTeam(ctx.team, input);
      return teamSettings(ctx.team);
    },
  ),

  setPrivacy: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'Change the team’s privacy switches',
      input: PrivacyChange,
      output: TeamSettings,
    },
    async ({ ctx, input }) => {
      const { member_detail_enabled: memberDetail, leaderboard_enabled: leaderboard } = input;
      await changeTeam(ctx.team, { memberDetail, leaderboard });
      return teamSettings(ctx.team);
    },
  ),
});
