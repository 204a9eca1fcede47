import type { Trend } from '../../../modules/analytics/schema.ts';
import { Group, Select, Skeleton, Stack } from '@mantine/core';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { TableSwitch } from '../../kit/charts/parts.tsx';
import { PeriodChoice } from '../../kit/charts/period.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { useCatalogNames, usePersonNames } from '../../kit/names/names.tsx';
import { Stat, Stats } from '../../kit/page/facts.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { Delta } from '../../kit/charts/scores.tsx';
import { number } from '../../kit/text/figures.ts';
import { t } from '../../language/language.tsx';
import { app, whileOpen } from '../../server/server.ts';
import { comparesMembers } from '../../session/may.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { decimal, noneScored, rangeNames, timeBefore, type Range } from './trend-words.ts';

const TrendChart = lazy(() => import('./trend-chart.tsx'));

type OwnSegment = 'situation' | 'personality' | 'industry';
export type Segment = OwnSegment | 'member_role' | 'member';

const height = 260;

export const ownSegments = (): { value: OwnSegment; label: string }[] => [
  { value: 'situation', label: t('Situation', 'Situation') },
  { value: 'personality', label: t('Persönlichkeit', 'Personality') },
  { value: 'industry', label: t('Branche', 'Industry') },
];

/** For each segment by which the list of trainings can be filtered, the name of that filter. */
const listFilters = new Map<Segment | null, string>([
  ['situation', 'situation'],
  ['member', 'user_id'],
]);

interface TrendPanelProps<S extends Segment> {
  title: string;
  /** The name of the line of all trainings. */
  name: string;
  segments: readonly { value: S; label: string }[];
  segment: S | null;
  setSegment: (segment: S | null) => void;
  answer: { data?: Trend | undefined; isPlaceholderData: boolean; error: unknown; refetch: () => unknown };
  /** Chooses the range, if the panel has a range of its own. */
  rangeChoice?: ReactNode;
  /** Shown above the choice of the segment. */
  summary?: ReactNode;
  /** Chooses the segments. Without it, the server chooses the largest ones. */
  choice?: ReactNode;
  /** The filters of the list of trainings behind the chart; undefined if the reader may not open it. */
  trainings: Readonly<Record<string, string>> | undefined;
  /** Shown below the charts. */
  children?: ReactNode;
}

interface TrendFiguresProps {
  trend: Trend;
  range: Range;
  /** Further figures of the panel. */
  children?: ReactNode;
}

/** The mean score and the number of trainings in a range, compared with the range of the same length before it. */
export const TrendFigures = ({ trend: { period, before, change }, range, children }: TrendFiguresProps) => (
  <Stats label={t('Im gewählten Zeitraum', 'In the chosen period')}>
    <Stat
      label={t('Durchschnittliche Punktzahl', 'Average score')}
      value={period.score === null ? '–' : decimal(period.score)}
    >
      {period.score === null && noneScored()}
      {period.score !== null && change === null && t('Kein Vergleichswert', 'No previous value')}
      {change !== null && (
        <>
          <Delta value={change} /> {t('gegenüber', 'compared with')} {timeBefore(range)}
        </>
      )}
    </Stat>
    <Stat label={t('Bewertete Trainings', 'Scored trainings')} value={number(period.count)}>
      {number(before.count)} in {timeBefore(range)}
    </Stat>
    {children}
  </Stats>
);

export const useCompares = (): boolean => {
  const { may, team } = useSignedIn();
  return comparesMembers(may, team.privacy);
};

const isRole = (id: string): id is 'owner' | 'admin' | 'member' => ['owner', 'admin', 'member'].includes(id);

const useSegmentNames = (trend: Trend | undefined, segment: Segment | null) => {
  const ids = (trend?.segments ?? []).map(({ id }) => id);
  const items = useCatalogNames(segment === 'member_role' || segment === 'member' ? [] : ids);
  const people = usePersonNames(segment === 'member' ? ids : []);
  return (id: string | null): string => {
    if (id === null) return t('Ohne Angabe', 'Not specified');
    return isRole(id) ? roleName(id) : ((segment === 'member' ? people : items).get(id) ?? '…');
  };
};

/** A trend with its chart. The reader can split the trend into segments. */
export const TrendPanel = <S extends Segment>({
  title,
  name,
  segments,
  segment,
  setSegment,
  answer,
  rangeChoice,
  summary,
  choice,
  trainings,
  children,
}: TrendPanelProps<S>) => {
  const { data } = answer;
  const nameOf = useSegmentNames(data, segment);
  const [asTable, setAsTable] = useState(false);
  const shown = segment === null ? [] : (data?.segments ?? []);
  const filter = listFilters.get(segment);
  return (
    <Panel
      title={title}
      actions={
        <Group gap="xs">
          {rangeChoice}
          <TableSwitch asTable={asTable} onChange={setAsTable} />
        </Group>
      }
    >
      <Stack gap="md">
        {summary}
        <Group gap="sm" align="flex-end">
          <Select
            label={t('Aufteilen nach', 'Split by')}
            placeholder={t('Nicht aufteilen', 'Don’t split')}
            size="xs"
            w={200}
            clearable
            clearButtonProps={{ 'aria-label': t('Nicht aufteilen', 'Don’t split') }}
            data={segments}
            value={segment}
            onChange={setSegment}
          />
          {choice}
        </Group>
        {data ? (
          <Suspense fallback={<Skeleton height={height} />}>
            <TrendChart
              trend={data}
              name={name}
              segments={shown.map(({ id, ...figures }) => ({
                ...figures,
                key: id ?? 'none',
                name: nameOf(id),
                // While the earlier answer is still shown, its parts may be those of another split.
                trainings:
                  trainings && filter && id !== null && !answer.isPlaceholderData
                    ? { ...trainings, [filter]: id }
                    : undefined,
              }))}
              asTable={asTable}
              trainings={trainings}
            />
          </Suspense>
        ) : (
          <Pending query={answer} height={height} shape="chart" />
        )}
        {segment !== null && data?.hidden === true && (
          <Hint>
            {t(
              `Personenbezogene Daten ausgeblendet: Werte von weniger als ${data.needed ?? 0} Personen fehlen, und auch solche, aus denen sie sich errechnen ließen.`,
              `Member-level data is hidden: scores of fewer than ${data.needed ?? 0} people are left out, and so are those from which they could be computed.`,
            )}
          </Hint>
        )}
        {children}
      </Stack>
    </Panel>
  );
};

interface PersonTrendProps {
  member?: { id: string; user_id: string };
  /** The chosen time, if other figures on the page use it, too. */
  period?: readonly [range: Range, setRange: (range: Range) => void];
}

/** The mean scores over time of the reader, or of another member. */
export const PersonTrend = ({ member, period }: PersonTrendProps) => {
  const ownPeriod = useState<Range>('12_weeks');
  const [range, setRange] = period ?? ownPeriod;
  const [segment, setSegment] = useState<OwnSegment | null>(null);
  const wanted = { range, ...(segment !== null && { segment }) };
  const options = { placeholderData: keepPreviousData };
  const own = useQuery(app.progress.trend.queryOptions(member ? skipToken : wanted, { ...options, ...whileOpen }));
  const theirs = useQuery(
    app.progress.trendOf.queryOptions(member ? { ...wanted, member_id: member.id } : skipToken, options),
  );
  const answer = member ? theirs : own;
  const compares = useCompares();
  return (
    <TrendPanel
      title={
        member
          ? t('Punktzahl im Zeitverlauf', 'Score over time')
          : t('Ihre Punktzahl im Zeitverlauf', 'Your score over time')
      }
      name={member ? t('Alle Trainings', 'All trainings') : t('Alle Ihre Trainings', 'All your trainings')}
      trainings={member ? { user_id: member.user_id } : {}}
      choice={
        member &&
        compares && (
          <TextLink to={`/analytics?split=member&compare=${member.user_id}`} mb={4}>
            {t('Mit anderen vergleichen', 'Compare with others')}
          </TextLink>
        )
      }
      segments={ownSegments()}
      rangeChoice={<PeriodChoice names={rangeNames()} value={range} onChange={setRange} />}
      summary={answer.data && <TrendFigures trend={answer.data} range={range} />}
      {...{ segment, setSegment, answer }}
    />
  );
};
