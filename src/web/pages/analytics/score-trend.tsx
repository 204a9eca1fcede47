import { Group, MultiSelect, Select, Skeleton, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Hint } from '../../kit/text/text.tsx';
import { TableSwitch } from '../../kit/charts/parts.tsx';
import { PeriodChoice } from '../../kit/charts/period.tsx';
import { optionsOf } from '../../kit/list/filters.tsx';
import { roleName } from '../../kit/names/members.tsx';
import { useCatalogNames } from '../../kit/names/names.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, type AppOutputs } from '../../server/server.ts';

const TrendChart = lazy(() => import('./trend-chart.tsx'));

type Trend = AppOutputs['teamTrends']['show'];
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
}

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
}: TrendPanelProps<S>) => {
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
              scores={data.scores}
              name={name}
              starts={data.starts}
              unit={data.unit}
              segments={shown.map(({ id, scores }) => ({ key: keyOf(id), name: nameOf(id), scores }))}
              asTable={asTable}
            />
          </Suspense>
        ) : (
          <Pending query={answer} height={height} shape="chart" />
        )}
        {segment !== null && data?.hidden === true && (
          <Hint>
            {t(
              `Personenbezogene Daten ausgeblendet: Werte von weniger als ${data.needed ?? 0} Personen fehlen, und auch solche, aus denen sie sich errechnen ließen.`,
              `Individual data is hidden: scores of fewer than ${data.needed ?? 0} people are left out, and so are those from which they could be computed.`,
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
  return (
    <TrendPanel
      title={t('Punktzahl im Zeitverlauf', 'Score over time')}
      name={t('Ganzes Team', 'Whole team')}
      {...{ range, setRange, segment, setSegment, segments, answer }}
    />
  );
};

/** The reader's own mean scores over time. */
export const OwnTrend = () => {
  const [range, setRange] = useState<Range>('12_weeks');
  const [segment, setSegment] = useState<OwnSegment | null>(null);
  const answer = useQuery(
    app.progress.trend.queryOptions(
      { range, ...(segment !== null && { segment }) },
      { placeholderData: keepPreviousData },
    ),
  );
  return (
    <TrendPanel
      title={t('Ihre Punktzahl im Zeitverlauf', 'Your score over time')}
      name={t('Alle Ihre Trainings', 'All your trainings')}
      segments={ownSegments()}
      {...{ range, setRange, segment, setSegment, answer }}
    />
  );
};
