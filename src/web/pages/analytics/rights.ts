import type { AnalyticsPage } from '../../../modules/analytics/schema.ts';
import type { May } from '../../session/may.ts';

type HiddenReason = NonNullable<AnalyticsPage['leaderboard']['reason']>;

/** Whether the reader can change a setting so that the leaderboard is shown. No setting helps if data is missing. */
export const canShowLeaderboard = (reason: HiddenReason, may: May): boolean => may('admin') && reason !== 'too_few';
