import { MultiSelect } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TeamScores, Trend } from '../../../modules/analytics/schema.ts';
import { scoreDimensions } from '../../kit/charts/scores.tsx';
import { useFilters } from '../../kit/list/filters.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { useMembersFound } from '../../kit/names/members.tsx';
import { usePersonNames } from '../../kit/names/names.tsx';
import { alike } from '../../kit/text/figures.ts';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSeesOthers } from '../trainings/training-words.tsx';
import { ownSegments, TrendPanel, useCompares, type Segment } from './score-trend.tsx';
import type { Range } from './trend-words.ts';

const maxMembers = 4;

type Areas = TeamScores['dimensions'];

/** The areas of the compared members and of the team, below each other. */
const ComparedAreas = ({ people, team }: { people: readonly { id: string | null; areas: Areas }[]; team: Areas }) => {
  const names = usePersonNames(people.map(({ id }) => id));
  const rows = [
    ...people.map(({ id, areas }) => ({ key: id ?? '', name: names.get(id ?? '') ?? '…', areas })),
    { key: 'team', name: t('Ganzes Team', 'Whole team'), areas: team },
  ];
  const areaNames = scoreDimensions();
  const shown = alike(rows.flatMap(({ areas }) => areas.map(({ value }) => value)));
  return (
    <DataTable
      label={t('Punktzahl nach Bereich und Mitglied', 'Score by area and member')}
      list={{ rows }}
      keyOf={({ key }) => key}
      columns={[
        { label: t('Mitglied', 'Member'), cell: ({ name }) => name },
        ...team.map(({ dimension }) => ({
          label: areaNames[dimension],
          align: 'end' as const,
          cell: ({ areas }: { areas: Areas }) => shown(areas.find((one) => one.dimension === dimension)?.value ?? null),
        })),
      ]}
    />
  );
};

const MembersChoice = ({ value, onChange }: { value: string[]; onChange: (userIds: string[]) => void }) => {
  const { members, labelOf, search } = useMembersFound('active');
  const names = usePersonNames(value);
  // Chosen people are shown without their address, because with it the field would be several lines high.
  const nameOf = (one: (typeof members)[number]) =>
    value.includes(one.user_id ?? '') ? (one.name ?? one.email) : labelOf(one);
  const found = members.flatMap((one) => (one.user_id === null ? [] : [{ value: one.user_id, label: nameOf(one) }]));
  const others = value.filter((id) => !found.some((one) => one.value === id));
  return (
    <MultiSelect
      label={t(`Mitglieder (höchstens ${maxMembers})`, `Members (up to ${maxMembers})`)}
      placeholder={value.length === 0 ? t('Mitglieder auswählen', 'Select members') : ''}
      size="xs"
      flex="1 1 240px"
      maw={720}
      searchable
      maxValues={maxMembers}
      data={[...others.map((id) => ({ value: id, label: names.get(id) ?? '…' })), ...found]}
      value={value}
      onChange={onChange}
      onSearchChange={search}
      nothingFoundMessage={t('Keine Treffer', 'No results')}
    />
  );
};

/** The team's mean scores in a range of time, also by segment. `whole` is the trend without segments. */
export const TeamTrend = ({ whole, areas, range }: { whole: Trend; areas: Areas; range: Range }) => {
  const compares = useCompares();
  const { valueOf, set } = useFilters('compare', 'split');
  // The choice is also kept here, because a second choice can come before the address has the first one.
  const [members, setMembers] = useState(() => valueOf('compare').split(',').filter(Boolean).slice(0, maxMembers));
  const compare = (ids: string[]) => {
    setMembers(ids);
    set('compare', ids.join(','));
  };
  const segments: { value: Segment; label: string }[] = [
    ...ownSegments(),
    { value: 'member_role', label: t('Rolle des Mitglieds', 'Role of the member') },
    ...(compares ? [{ value: 'member' as const, label: t('Mitglied', 'Member') }] : []),
  ];
  const segment = segments.find(({ value }) => value === valueOf('split'))?.value ?? null;
  const ofTeam = useQuery(
    app.teamTrends.show.queryOptions(segment === null || segment === 'member' ? skipToken : { range, segment }, {
      placeholderData: (previous) => previous ?? whole,
    }),
  );
  const ofMembers = useQuery(
    app.teamTrends.compare.queryOptions(segment === 'member' ? { range, user_ids: members } : skipToken, {
      placeholderData: (previous) => previous ?? { ...whole, segments: [] },
    }),
  );
  const compared = (segment === 'member' && ofMembers.data?.segments) || [];
  const bySegment = segment === 'member' ? ofMembers : ofTeam;
  const answer = segment === null ? { ...bySegment, data: whole } : bySegment;
  const seesOthers = useSeesOthers();
  return (
    <TrendPanel
      title={t('Punktzahl im Zeitverlauf', 'Score over time')}
      name={t('Ganzes Team', 'Whole team')}
      trainings={seesOthers ? {} : undefined}
      choice={segment === 'member' && <MembersChoice value={members} onChange={compare} />}
      setSegment={(by) => set('split', by)}
      {...{ segment, segments, answer }}
    >
      {compared.length > 0 && <ComparedAreas people={compared} team={areas} />}
    </TrendPanel>
  );
};
