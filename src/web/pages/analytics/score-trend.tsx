import { Group, MultiSelect, Select, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { Hint } from '../../kit/text/text.tsx';
import { TableSwitch } from '../../kit/charts/parts.tsx';
import { PeriodChoice } from '../../kit/charts/period.tsx';
import { optionsOf } from '../../kit/list/filters.tsx';
import { roleName } from '../../kit/names/members.tsx';
import { useCatalogNames } from '../../kit/names/names.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { Delta } from '../../kit/charts/scores.tsx';
import { count, number } from '../../kit/text/formats.tsx';
import { locale, t } from '../../language/language.tsx';
import { app, type AppOutputs } from '../../server/server.ts';
import { useSeesOthers } from '../trainings/training-words.tsx';

const TrendChart = lazy(() => import('./trend-chart.tsx'));

export type Trend = AppOutputs['teamTrends']['show'];
type Range = '12_weeks' | '6_months' | '12_months';
type OwnSegment = 'situation' | 'personality' | 'industry';
type Segment = OwnSegment | 'member_role';

const height = 260;
const maxSegments = 4;

const rangeNames = (): Record<Range, string> => ({
  '12_weeks': t('12 Wochen', '12 weeks'),
  '6_months': t('6 Monate', '6 months'),
  '12_months': t('12 Monate', '12 months'),
});

const ownSegments = (): Record<OwnSegment, string> => ({
  situation: t('Situation', 'Situation'),
  personality: t('Persönlichkeit', 'Personality'),
  industry: t('Branche', 'Industry'),
});

interface TrendPanelProps<S extends Segment> {
  title: string;
  /** The name of the line of all trainings. */
  name: string;
  range: Range;
  setRange: (range: Range) => void;
  segments: Readonly<Record<S, string>>;
  segment: S | null;
  setSegment: (segment: S | null) => void;
  answer: { data: Trend | undefined; error: unknown; refetch: () => unknown };
  /** The filters of the list of trainings behind the chart; undefined if the reader may not open it. */
  trainings: Readonly<Record<string, string>> | undefined;
}

/** The mean of the shown time, compared with as long a time before. */
const Comparison = ({ trend: { period, before, change }, range }: { trend: Trend; range: Range }) => {
  if (period.score === null) return null;
  const than: Record<Range, string> = {
    '12_weeks': t('gegenüber den 12 Wochen davor', 'compared with the 12 weeks before'),
    '6_months': t('gegenüber den 6 Monaten davor', 'compared with the 6 months before'),
    '12_months': t('gegenüber den 12 Monaten davor', 'compared with the 12 months before'),
  };
  const trainings = (of: number) => count(of, t('Training', 'training'), t('Trainings', 'trainings'));
  return (
    <Group gap="4px 12px" align="baseline">
      <Text fz={32} fw={650} lh={1.1} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {period.score.toLocaleString(locale(), { minimumFractionDigits: 1 })}
      </Text>
      {change !== null && (
        <Text size="sm" component="div">
          <Delta value={change} /> {than[range]}
        </Text>
      )}
      <Hint>
        {change === null
          ? trainings(period.count)
          : t(
              `${trainings(period.count)}, davor ${number(before.count)}`,
              `${trainings(period.count)}, ${number(before.count)} before`,
            )}
      </Hint>
    </Group>
  );
};

const isRole = (id: string): id is 'owner' | 'admin' | 'member' => ['owner', 'admin', 'member'].includes(id);

const useSegmentNames = (trend: Trend | undefined, segment: Segment | null) => {
  const ids = segment === 'member_role' ? [] : (trend?.segments ?? []).map(({ id }) => id);
  const names = useCatalogNames(ids);
  return (id: string | null): string => {
    if (id === null) return t('Ohne Angabe', 'Not specified');
    return isRole(id) ? roleName(id) : (names.get(id) ?? '…');
  };
};

const TrendPanel = <S extends Segment>({
  title,
  name,
  range,
  setRange,
  segments,
  segment,
  setSegment,
  answer,
  trainings,
}: TrendPanelProps<S>) => {
  const navigate = useNavigate();
  const { data } = answer;
  const nameOf = useSegmentNames(data, segment);
  const [asTable, setAsTable] = useState(false);
  const [chosen, setChosen] = useState<string[]>([]);
  const all = segment === null ? [] : (data?.segments ?? []);
  const keyOf = (id: string | null): string => id ?? 'none';
  const wanted = all.filter(({ id }) => chosen.includes(keyOf(id)));
  const shown = (wanted.length > 0 ? wanted : all).slice(0, maxSegments);
  return (
    <Panel
      title={title}
      actions={
        <Group gap="xs">
          <PeriodChoice names={rangeNames()} value={range} onChange={setRange} />
          <TableSwitch asTable={asTable} onChange={setAsTable} />
        </Group>
      }
    >
      <Stack gap="md">
        {data && <Comparison trend={data} range={range} />}
        <Group gap="sm" align="flex-end">
          <Select
            label={t('Aufteilen nach', 'Split by')}
            placeholder={t('Nicht aufteilen', 'Don’t split')}
            size="xs"
            w={200}
            clearable
            clearButtonProps={{ 'aria-label': t('Nicht aufteilen', 'Don’t split') }}
            data={optionsOf(segments)}
            value={segment}
            onChange={(value) => {
              setChosen([]);
              setSegment(value);
            }}
          />
          {all.length > maxSegments && (
            <MultiSelect
              label={t(`Auswahl (höchstens ${maxSegments})`, `Selection (up to ${maxSegments})`)}
              placeholder={chosen.length === 0 ? t('Die häufigsten', 'The most frequent') : ''}
              size="xs"
              flex="1 1 240px"
              maw={520}
              clearable
              clearButtonProps={{ 'aria-label': t('Die häufigsten', 'The most frequent') }}
              maxValues={maxSegments}
              data={all.map(({ id }) => ({ value: keyOf(id), label: nameOf(id) }))}
              value={chosen}
              onChange={setChosen}
            />
          )}
        </Group>
        {data ? (
          <Suspense fallback={<Skeleton height={height} />}>
            <TrendChart
              trend={data}
              name={name}
              segments={shown.map(({ id, scores, counts }) => ({ key: keyOf(id), name: nameOf(id), scores, counts }))}
              asTable={asTable}
              onOpen={
                trainings &&
                ((from, to) =>
                  void navigate(
                    `/trainings?${new URLSearchParams({ ...trainings, status: 'scored', range: 'own', from, to }).toString()}`,
                  ))
              }
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
      </Stack>
    </Panel>
  );
};

/** The team's mean scores over time, also by segment. `weeks` is what it shows first. */
export const TeamTrend = ({ weeks }: { weeks: Trend }) => {
  const [range, setRange] = useState<Range>('12_weeks');
  const [segment, setSegment] = useState<Segment | null>(null);
  const isFirst = range === '12_weeks' && segment === null;
  const chosen = useQuery(
    app.teamTrends.show.queryOptions(
      { range, ...(segment !== null && { segment }) },
      { enabled: !isFirst, placeholderData: (previous) => (range === '12_weeks' ? weeks : (previous ?? weeks)) },
    ),
  );
  const answer = isFirst ? { ...chosen, data: weeks } : chosen;
  const segments = { ...ownSegments(), member_role: t('Rolle des Mitglieds', 'Role of the member') };
  const seesOthers = useSeesOthers();
  return (
    <TrendPanel
      title={t('Punktzahl im Zeitverlauf', 'Score over time')}
      name={t('Ganzes Team', 'Whole team')}
      trainings={seesOthers ? {} : undefined}
      {...{ range, setRange, segment, setSegment, segments, answer }}
    />
  );
};

/** The reader's own mean scores over time, or those of a member. */
export const PersonTrend = ({ member }: { member?: { id: string; user_id: string } }) => {
  const [range, setRange] = useState<Range>('12_weeks');
  const [segment, setSegment] = useState<OwnSegment | null>(null);
  const wanted = { range, ...(segment !== null && { segment }) };
  const own = useQuery(
    app.progress.trend.queryOptions(wanted, { placeholderData: keepPreviousData, enabled: member === undefined }),
  );
  const theirs = useQuery(
    app.progress.trendOf.queryOptions(
      { ...wanted, member_id: member?.id ?? '' },
      { placeholderData: keepPreviousData, enabled: member !== undefined },
    ),
  );
  const answer = member ? theirs : own;
  return (
    <TrendPanel
      title={
        member
          ? t('Punktzahl im Zeitverlauf', 'Score over time')
          : t('Ihre Punktzahl im Zeitverlauf', 'Your score over time')
      }
      name={member ? t('Alle Trainings', 'All trainings') : t('Alle Ihre Trainings', 'All your trainings')}
      trainings={member ? { user_id: member.user_id } : {}}
      segments={ownSegments()}
      {...{ range, setRange, segment, setSegment, answer }}
    />
  );
};
