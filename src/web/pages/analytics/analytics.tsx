import { Group, Stack, Text } from '@mantine/core';
import { TextLink } from '../../kit/text/text.tsx';
import { FilterBar, SearchField, useFilters } from '../../kit/list/filters.tsx';
import { hasWords } from '../../kit/list/list-rules.ts';
import { useQuery } from '@tanstack/react-query';
import { alike, number } from '../../kit/text/formats.tsx';
import { TextInCell } from '../../kit/text/cut.tsx';
import { Stat, Stats, Status } from '../../kit/page/facts.tsx';
import { Empty } from '../../kit/page/messages.tsx';
import { Page, Panel, Pending } from '../../kit/page/page.tsx';
import { Delta, DimensionBars, scoreDimensions } from '../../kit/charts/scores.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { locale, t } from '../../language/language.tsx';
import { app, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { TeamTrend } from './score-trend.tsx';

export default function AnalyticsPage() {
  const query = useQuery(app.teamAnalytics.show.queryOptions({}));
  const { data } = query;
  const areas = scoreDimensions();
  const shown = (value: number | null) => (value === null ? '–' : number(value));
  // With as many decimals as the scores of the areas.
  const average = alike([data?.totals.avg_score ?? null, ...(data?.dimensions.map(({ value }) => value) ?? [])]);
  /** The areas in which practice would help the team most. */
  const gaps = new Intl.ListFormat(locale()).format((data?.skill_gaps ?? []).slice(0, 2).map((area) => areas[area]));
  return (
    <Page
      title={t('Teamauswertung', 'Analytics')}
      lead={t('Berücksichtigt werden alle Trainings aktiver Mitglieder.', 'Based on all trainings of active members.')}
    >
      {!data && <Pending query={query} height={820} shape="panels" />}
      {data && (
        <>
          <Stats label={t('Gesamt', 'Total')}>
            <Stat label={t('Durchschnittliche Punktzahl', 'Average score')} value={average(data.totals.avg_score)} />
            <Stat label={t('Bewertete Trainings', 'Scored trainings')} value={shown(data.totals.scored)} />
            <Stat label={t('Abgeschlossene Trainings', 'Completed trainings')} value={shown(data.totals.sessions)} />
            <Stat label={t('Aktive Mitglieder', 'Active members')} value={shown(data.totals.active_members)} />
          </Stats>
          <TeamTrend weeks={data.trend} />
          <Panel title={t('Punktzahl nach Bereich', 'Score by area')}>
            <DimensionBars
              label={t('Durchschnittliche Punktzahl des Teams', 'The team’s average score')}
              values={data.dimensions}
            />
            {data.totals.avg_score !== null && (
              <Text size="sm" mt="lg">
                {gaps === ''
                  ? t(
                      'Das Team hat in keinem Bereich deutliche Schwächen.',
                      'The team has no clear weakness in any area.',
                    )
                  : t(`Größtes Verbesserungspotenzial: ${gaps}.`, `Most room for improvement: ${gaps}.`)}
              </Text>
            )}
          </Panel>
          <Leaderboard board={data.leaderboard} />
        </>
      )}
    </Page>
  );
}

type Board = AppOutputs['teamAnalytics']['show']['leaderboard'];
type Entry = Board['entries'][number];

/** Says why there is no leaderboard, and how to get one. */
const NotShown = ({ reason, needed }: Pick<Board, 'needed'> & { reason: NonNullable<Board['reason']> }) => {
  const leads = useSignedIn().may('admin');
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
        `Aus Datenschutzgründen erscheint die Rangliste erst ab ${needed} aktiven Mitgliedern mit einem abgeschlossenen Training.`,
        `For privacy reasons, the leaderboard needs at least ${needed} active members with a completed training.`,
      ),
    },
  };
  const { title, about } = reasons[reason];
  return (
    <Empty
      title={title}
      link={
        leads && reason !== 'too_few'
          ? { to: '/settings', label: t('Einstellungen öffnen', 'Open settings') }
          : undefined
      }
    >
      {about}
    </Empty>
  );
};

const Table = ({ entries: all, label }: { entries: readonly Entry[]; label: string }) => {
  const filters = useFilters('search');
  const search = filters.valueOf('search');
  const entries = all.filter(({ name }) => hasWords(name ?? '', search));
  const average = alike(entries.map(({ avg_score }) => avg_score));
  return (
    <Stack gap="md">
      {all.length > 10 && (
        <FilterBar filters={filters}>
          <SearchField filters={filters} label={t('Name suchen', 'Search by name')} />
        </FilterBar>
      )}
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
                  {is_you && <Status tone="info">{t('Sie', 'You')}</Status>}
                </Group>
              </Group>
            ),
          },
          {
            label: t('Ø\u00a0Punktzahl', 'Average score'),
            name: 'mean_score',
            value: ({ avg_score }) => avg_score,
            alwaysShown: true,
            cell: ({ avg_score }) => average(avg_score),
            align: 'end',
          },
          {
            label: t('Veränderung (30\u00a0Tage)', 'Change (30\u00a0days)'),
            name: 'change',
            value: ({ trend_delta }) => trend_delta,
            cell: ({ trend_delta }) => <Delta value={trend_delta} />,
            align: 'end',
            priority: 1,
          },
          {
            label: t('Abgeschlossene Trainings', 'Completed trainings'),
            name: 'trainings',
            value: ({ sessions }) => sessions,
            cell: 'number',
            priority: 2,
          },
        ]}
      />
    </Stack>
  );
};

/** The leaderboard, if the team's settings allow it and enough members have practised. */
const Leaderboard = ({ board }: { board: Board }) => {
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
