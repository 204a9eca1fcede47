import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { NameText } from '../../platform/values.ts';

export const SettingsChange = z.strictObject({
  name: NameText.optional(),
  language: z.enum(languages).optional(),
});

export const PrivacyChange = z.strictObject({
  member_detail_enabled: z.boolean().optional(),
  leaderboard_enabled: z.boolean().optional(),
});
