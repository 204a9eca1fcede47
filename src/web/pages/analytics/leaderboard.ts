import type { AnalyticsPage } from '../../../modules/analytics/schema.ts';
import { toneOfChange } from '../../kit/charts/change.ts';
import { hasWords } from '../../kit/list/list-rules.ts';

type LeaderboardEntry = Pick<AnalyticsPage['leaderboard']['entries'][number], 'name' | 'role' | 'count' | 'change'>;

/** The filters of the leaderboard. An empty one is not set. */
type LeaderboardFilters = Readonly<Record<'search' | 'role' | 'least' | 'change', string>>;

const isFound = (wanted: string, value: string | null): boolean => wanted === '' || wanted === value;

/** Whether an entry of the leaderboard matches its filters. */
export const isListed = ({ name, role, count, change }: LeaderboardEntry, wanted: LeaderboardFilters): boolean =>
  hasWords(name ?? '', wanted.search) &&
  isFound(wanted.role, role) &&
  isFound(wanted.change, change === null ? null : toneOfChange(change)) &&
  count >= Number(wanted.least);
