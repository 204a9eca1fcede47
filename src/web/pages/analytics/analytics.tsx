import { Group, Text } from '@mantine/core';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { FilterBar } from '../../kit/list/filter-bar.tsx';
import { keyIn, optionsOf, useFilters } from '../../kit/list/filters.tsx';
import { roleNames } from '../../kit/names/member-words.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { alike, number } from '../../kit/text/figures.ts';
import { TextInCell } from '../../kit/text/cut.tsx';
import { Stat } from '../../kit/page/facts.tsx';
import { Empty } from '../../kit/page/messages.tsx';
import { Page, Panel, Pending } from '../../kit/page/page.tsx';
import { PeriodChoice } from '../../kit/charts/period.tsx';
import { Delta, DimensionBars, scoreDimensions } from '../../kit/charts/scores.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { locale, t } from '../../language/language.tsx';
import { app, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { isListed } from './leaderboard.ts';
import { canShowLeaderboard } from './rights.ts';
import { TrendFigures } from './score-trend.tsx';
import { TeamTrend } from './team-trend.tsx';
import { rangeNames, timeBefore } from './trend-words.ts';

type TeamAnalytics = AppOutputs['teamAnalytics']['show'];

/** The areas in which practice would help the team most. */
const gapText = ({ dimensions, skill_gaps, leaderboard: { needed } }: TeamAnalytics): string => {
  if (dimensions.every(({ value }) => value === null)) {
    return t(
      `Personenbezogene Daten ausgeblendet: Bereiche erscheinen erst ab ${needed} Personen.`,
      `Member-level data is hidden: areas need at least ${needed} people.`,
    );
  }
  if (skill_gaps.length === 0) {
    return t('Das Team hat in keinem Bereich deutliche Schwächen.', 'The team has no clear weakness in any area.');
  }
  const areas = scoreDimensions();
  const gaps = new Intl.ListFormat(locale()).format(skill_gaps.slice(0, 2).map((area) => areas[area]));
  return t(`Größtes Verbesserungspotenzial: ${gaps}.`, `Most room for improvement: ${gaps}.`);
};

/** The scores of a range of time, which the reader chooses for the whole page. */
export default function AnalyticsPage() {
  const { valueOf, set } = useFilters('period');
  const range = keyIn(rangeNames(), valueOf('period')) ?? '12_weeks';
  const query = useQuery(app.teamAnalytics.show.queryOptions({ range }, { placeholderData: keepPreviousData }));
  const { data } = query;
  return (
    <Page
      title={t('Teamauswertung', 'Analytics')}
      lead={t(
        'Bewertete Trainings aktiver Mitglieder im gewählten Zeitraum.',
        'Scored trainings of active members in the chosen period.',
      )}
      actions={<PeriodChoice names={rangeNames()} value={range} onChange={(value) => set('period', value)} />}
    >
      {!data && <Pending query={query} height={820} shape="panels" />}
      {data && (
        <>
          <TrendFigures trend={data.trend} range={range}>
            <Stat
              label={t('Mitglieder mit bewertetem Training', 'Members with a scored training')}
              value={t(
                `${number(data.people.scored)} von ${number(data.people.active)}`,
                `${number(data.people.scored)} of ${number(data.people.active)}`,
              )}
            >
              {number(data.people.scored_before)} in {timeBefore(range)}
            </Stat>
          </TrendFigures>
          <TeamTrend whole={data.trend} areas={data.dimensions} range={range} />
          <Panel title={t('Punktzahl nach Bereich', 'Score by area')}>
            <DimensionBars
              label={t('Durchschnittliche Punktzahl des Teams', 'The team’s average score')}
              values={data.dimensions}
            />
            {data.trend.period.score !== null && (
              <Text size="sm" mt="lg">
                {gapText(data)}
              </Text>
            )}
          </Panel>
          <Leaderboard board={data.leaderboard} />
        </>
      )}
    </Page>
  );
}

type ShownLeaderboard = TeamAnalytics['leaderboard'];
type LeaderboardEntry = ShownLeaderboard['entries'][number];

/** Explains why there is no leaderboard, and how to get one. */
const NotShown = ({
  reason,
  needed,
}: Pick<ShownLeaderboard, 'needed'> & { reason: NonNullable<ShownLeaderboard['reason']> }) => {
  const { may } = useSignedIn();
  const reasons: Readonly<Record<typeof reason, { title: string; about: string }>> = {
    member_detail_off: {
      title: t('Personenbezogene Daten ausgeblendet', 'Member-level data is hidden'),
      about: t(
        'Ohne personenbezogene Daten gibt es keine Rangliste.',
        'There is no leaderboard without member-level data.',
      ),
    },
    leaderboard_off: {
      title: t('Rangliste ausgeblendet', 'Leaderboard is hidden'),
      about: t(
        'Ihr Team hat die Rangliste in den Einstellungen ausgeblendet.',
        'Your team has hidden the leaderboard in its settings.',
      ),
    },
    too_few: {
      title: t('Noch nicht genügend Daten', 'Not enough data yet'),
      about: t(
        `Aus Datenschutzgründen erscheint die Rangliste erst ab ${needed} aktiven Mitgliedern mit einem bewerteten Training im Zeitraum.`,
        `For privacy reasons, the leaderboard needs at least ${needed} active members with a scored training in the period.`,
      ),
    },
  };
  const { title, about } = reasons[reason];
  return (
    <Empty
      title={title}
      link={
        canShowLeaderboard(reason, may)
          ? { to: '/settings/privacy', label: t('Einstellungen öffnen', 'Open settings') }
          : undefined
      }
    >
      {about}
    </Empty>
  );
};

const Table = ({ entries: all, label }: { entries: readonly LeaderboardEntry[]; label: string }) => {
  const filters = useFilters('search', 'role', 'least', 'change');
  const { valueOf } = filters;
  const wanted = {
    search: valueOf('search'),
    role: valueOf('role'),
    least: valueOf('least'),
    change: valueOf('change'),
  };
  const entries = all.filter((entry) => isListed(entry, wanted));
  const average = alike(entries.map(({ score }) => score));
  const table = (
    <DataTable
      label={label}
      csv={{}}
      filters={{ ...filters, what: t('Mitglieder', 'members') }}
      list={{ rows: entries }}
      brief={{ rows: 50, always: ({ is_you }) => is_you }}
      keyOf={({ user_id }) => user_id}
      columns={[
        { label: t('Rang', 'Rank'), value: ({ rank }) => rank },
        {
          label: t('Mitglied', 'Member'),
          name: 'name',
          value: ({ name }) => name,
          cell: ({ rank, name, member_id, is_you }) => (
            <Group gap="xs" wrap="nowrap">
              <Text
                span
                inherit
                c="dimmed"
                flex="none"
                miw={32}
                ta="start"
                style={{ fontVariantNumeric: 'tabular-nums' }}
              >
                {rank}.
              </Text>
              <Group gap="4px 8px">
                {member_id === null ? (
                  <Text span inherit fw={is_you ? 650 : 400}>
                    <TextInCell text={name ?? t('Ohne Namen', 'Without a name')} />
                  </Text>
                ) : (
                  <TextLink to={`/members/${member_id}`} inherit fw={600}>
                    <TextInCell text={name ?? t('Ohne Namen', 'Without a name')} />
                  </TextLink>
                )}
                {is_you && (
                  <Hint span inherit>
                    {t('Sie', 'You')}
                  </Hint>
                )}
              </Group>
            </Group>
          ),
        },
        {
          label: t('Ø\u00a0Punktzahl', 'Average score'),
          name: 'mean_score',
          value: ({ score }) => score,
          alwaysShown: true,
          cell: ({ score }) => average(score),
          align: 'end',
        },
        {
          label: t('Veränderung', 'Change'),
          name: 'change',
          value: ({ change }) => change,
          cell: ({ change }) => <Delta value={change} />,
          align: 'end',
          priority: 1,
        },
        {
          label: t('Bewertete Trainings', 'Scored trainings'),
          name: 'trainings',
          value: ({ count }) => count,
          cell: 'number',
          priority: 2,
        },
      ]}
    />
  );
  // A short list is read faster than it is filtered.
  if (all.length <= 10 && !filters.isSet) return table;
  return (
    <FilterBar
      list="leaderboard"
      filters={filters}
      search={{ name: 'search', label: t('Name suchen', 'Search by name') }}
      fields={[
        all.some(({ role }) => role !== null) && {
          kind: 'choice',
          name: 'role',
          label: t('Rolle', 'Role'),
          options: optionsOf(roleNames()),
        },
        {
          kind: 'choice',
          name: 'least',
          label: t('Bewertete Trainings', 'Scored trainings'),
          options: ['3', '5', '10', '20'].map((value) => ({ value, label: t(`ab ${value}`, `${value} or more`) })),
        },
        {
          kind: 'choice',
          name: 'change',
          label: t('Veränderung', 'Change'),
          options: [
            { value: 'good', label: t('Verbessert', 'Improved') },
            { value: 'warn', label: t('Verschlechtert', 'Declined') },
          ],
        },
      ]}
      views={[{ name: t('Verschlechtert', 'Declined'), filters: { change: 'warn' } }]}
    >
      {table}
    </FilterBar>
  );
};

/** The leaderboard, if the team's settings allow it and enough members have practised. */
const Leaderboard = ({ board }: { board: ShownLeaderboard }) => {
  const title = t('Rangliste', 'Leaderboard');
  return (
    <Panel title={title}>
      {board.reason === null ? (
        <Table entries={board.entries} label={title} />
      ) : (
        <NotShown {...board} reason={board.reason} />
      )}
    </Panel>
  );
};
