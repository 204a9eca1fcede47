import { Group, MultiSelect, Select, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { TableSwitch } from '../../kit/charts/parts.tsx';
import { PeriodChoice } from '../../kit/charts/period.tsx';
import { useFilters } from '../../kit/list/filters.tsx';
import { roleName, useMembersFound } from '../../kit/names/members.tsx';
import { useCatalogNames, usePersonNames } from '../../kit/names/names.tsx';
import { Stat, Stats } from '../../kit/page/facts.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { Delta } from '../../kit/charts/scores.tsx';
import { count, number } from '../../kit/text/formats.tsx';
import { locale, t } from '../../language/language.tsx';
import { app, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { useSeesOthers } from '../trainings/training-words.tsx';

const TrendChart = lazy(() => import('./trend-chart.tsx'));

export type Trend = AppOutputs['teamTrends']['show'];
type Range = '12_weeks' | '6_months' | '12_months';
type OwnSegment = 'situation' | 'personality' | 'industry';
type Segment = OwnSegment | 'member_role' | 'member';

const height = 260;
const maxSegments = 4;

const rangeNames = (): Record<Range, string> => ({
  '12_weeks': t('12 Wochen', '12 weeks'),
  '6_months': t('6 Monate', '6 months'),
  '12_months': t('12 Monate', '12 months'),
});

const ownSegments = (): { value: OwnSegment; label: string }[] => [
  { value: 'situation', label: t('Situation', 'Situation') },
  { value: 'personality', label: t('Persönlichkeit', 'Personality') },
  { value: 'industry', label: t('Branche', 'Industry') },
];

interface TrendPanelProps<S extends Segment> {
  title: string;
  /** The name of the line of all trainings. */
  name: string;
  range: Range;
  setRange: (range: Range) => void;
  segments: readonly { value: S; label: string }[];
  segment: S | null;
  setSegment: (segment: S | null) => void;
  answer: { data: Trend | undefined; error: unknown; refetch: () => unknown };
  /** Chooses the segments, where the server does not choose the largest. */
  choice?: ReactNode;
  /** The filters of the list of trainings behind the chart; undefined if the reader may not open it. */
  trainings: Readonly<Record<string, string>> | undefined;
}

const trainingsOf = (of: number): string => count(of, t('Training', 'training'), t('Trainings', 'trainings'));
const decimal = (score: number): string => score.toLocaleString(locale(), { minimumFractionDigits: 1 });

/** The mean of the shown time, compared with as long a time before. */
const Comparison = ({ trend: { period, before, change }, range }: { trend: Trend; range: Range }) => {
  if (period.score === null) return null;
  const than: Record<Range, string> = {
    '12_weeks': t('gegenüber den 12 Wochen davor', 'compared with the 12 weeks before'),
    '6_months': t('gegenüber den 6 Monaten davor', 'compared with the 6 months before'),
    '12_months': t('gegenüber den 12 Monaten davor', 'compared with the 12 months before'),
  };
  return (
    <Group gap="4px 12px" align="baseline">
      <Text fz={32} fw={650} lh={1.1} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {decimal(period.score)}
      </Text>
      {change !== null && (
        <Text size="sm" component="div">
          <Delta value={change} /> {than[range]}
        </Text>
      )}
      <Hint>
        {change === null
          ? trainingsOf(period.count)
          : t(
              `${trainingsOf(period.count)}, davor ${number(before.count)}`,
              `${trainingsOf(period.count)}, ${number(before.count)} before`,
            )}
      </Hint>
    </Group>
  );
};

/** Whether the reader may compare members: an admin, if the team shows and compares them. */
const useCompares = (): boolean => {
  const { team } = useSignedIn();
  return useSeesOthers() && team.privacy.leaderboard;
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

const TrendPanel = <S extends Segment>({
  title,
  name,
  range,
  setRange,
  segments,
  segment,
  setSegment,
  answer,
  choice,
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
            data={segments}
            value={segment}
            onChange={(value) => {
              setChosen([]);
              setSegment(value);
            }}
          />
          {choice}
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
        {segment === 'member' && shown.length > 0 && (
          <Stats label={t('Mitglieder im Vergleich', 'Members compared')}>
            {shown.map(({ id, score, count }) => (
              <Stat key={id} label={nameOf(id)} value={score === null ? '–' : decimal(score)}>
                {trainingsOf(count)}
              </Stat>
            ))}
          </Stats>
        )}
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

/** Chooses the members that are compared. */
const MembersChoice = ({ value, onChange }: { value: string[]; onChange: (userIds: string[]) => void }) => {
  const { members, labelOf, search } = useMembersFound('active');
  const names = usePersonNames(value);
  const found = members.flatMap((one) => (one.user_id === null ? [] : [{ value: one.user_id, label: labelOf(one) }]));
  const others = value.filter((id) => !found.some((one) => one.value === id));
  return (
    <MultiSelect
      label={t(`Mitglieder (höchstens ${maxSegments})`, `Members (up to ${maxSegments})`)}
      placeholder={value.length === 0 ? t('Mitglieder auswählen', 'Select members') : ''}
      size="xs"
      flex="1 1 240px"
      maw={520}
      searchable
      maxValues={maxSegments}
      data={[...others.map((id) => ({ value: id, label: names.get(id) ?? '…' })), ...found]}
      value={value}
      onChange={onChange}
      onSearchChange={search}
      nothingFoundMessage={t('Keine Treffer', 'No results')}
    />
  );
};

/** The team's mean scores over time, also by segment. `weeks` is what it shows first. */
export const TeamTrend = ({ weeks }: { weeks: Trend }) => {
  const [range, setRange] = useState<Range>('12_weeks');
  const compares = useCompares();
  const { valueOf, set } = useFilters('compare');
  const members = valueOf('compare').split(',').filter(Boolean).slice(0, maxSegments);
  const [segment, setSegment] = useState<Segment | null>(members.length > 0 && compares ? 'member' : null);
  const isFirst = range === '12_weeks' && segment === null;
  const placeholderData = (previous: Trend | undefined) => (range === '12_weeks' ? weeks : (previous ?? weeks));
  const ofTeam = useQuery(
    app.teamTrends.show.queryOptions(
      { range, ...(segment !== null && segment !== 'member' && { segment }) },
      { enabled: !isFirst && segment !== 'member', placeholderData },
    ),
  );
  const ofMembers = useQuery(
    app.teamTrends.compare.queryOptions(
      { range, user_ids: members },
      { enabled: segment === 'member', placeholderData },
    ),
  );
  const chosen = segment === 'member' ? ofMembers : ofTeam;
  const answer = isFirst ? { ...chosen, data: weeks } : chosen;
  const segments: { value: Segment; label: string }[] = [
    ...ownSegments(),
    { value: 'member_role', label: t('Rolle des Mitglieds', 'Role of the member') },
    ...(compares ? [{ value: 'member' as const, label: t('Mitglied', 'Member') }] : []),
  ];
  const seesOthers = useSeesOthers();
  return (
    <TrendPanel
      title={t('Punktzahl im Zeitverlauf', 'Score over time')}
      name={t('Ganzes Team', 'Whole team')}
      trainings={seesOthers ? {} : undefined}
      choice={
        segment === 'member' && <MembersChoice value={members} onChange={(ids) => set('compare', ids.join(','))} />
      }
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
          <TextLink to={`/analytics?compare=${member.user_id}`} mb={4}>
            {t('Mit anderen vergleichen', 'Compare with others')}
          </TextLink>
        )
      }
      segments={ownSegments()}
      {...{ range, setRange, segment, setSegment, answer }}
    />
  );
};
