import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { Link } from 'react-router';
import { stateOptions } from '../../kit/page/facts.tsx';
import { FilterBar, type FilterField } from '../../kit/list/filter-bar.tsx';
import {
  given,
  isKeyOf,
  keyIn,
  rangeNames,
  useFilters,
  useRange,
  useServerOrder,
  type Filters,
} from '../../kit/list/filters.tsx';
import { DetailsOff, Page } from '../../kit/page/page.tsx';
import { DataTable, type DataTableProps } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { api, app, client, nextPage, usePages } from '../../server/server.ts';
import { isHiddenFrom } from '../../session/may.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { scoreBands } from './figures.ts';
import { titleOf, trainingColumns, trainingStates, useSeesOthers, type ListedTraining } from './training-words.tsx';

const OneTraining = lazy(async () => ({ default: (await import('./training.tsx')).OneTraining }));

export default function TrainingsPage() {
  const { may, team } = useSignedIn();
  const seesOthers = useSeesOthers();
  return (
    <Page title={t('Trainings', 'Trainings')}>
      {isHiddenFrom(may, team.privacy) && (
        <DetailsOff title={t('Personenbezogene Daten ausgeblendet', 'Member-level data is hidden')}>
          {t('Es werden nur Ihre eigenen Trainings angezeigt.', 'Only your own trainings are shown.')}
        </DetailsOff>
      )}
      {seesOthers ? <TeamTrainings /> : <OwnTrainings />}
    </Page>
  );
}

const serverSorts = ['started', 'score'] as const;

const filterNames = ['status', 'user_id', 'assignment_id', 'situation', 'score', ...rangeNames] as const;
type TrainingFilter = (typeof filterNames)[number];

/**
 * The filters of both lists of trainings, in two forms: as the address has them, and as the procedures take them. Also
 * the order of the list.
 */
const useTrainingFilters = () => {
  const filters = useFilters(...filterNames);
  const times = useRange(filters);
  const { valueOf } = filters;
  const band = valueOf('score');
  const matching = {
    status: keyIn(trainingStates(), valueOf('status')),
    assignment_id: given(valueOf('assignment_id')),
    situation_id: given(valueOf('situation')),
    ...(isKeyOf(scoreBands, band) && scoreBands[band]),
    ...times,
  };
  return { filters, matching, order: useServerOrder(serverSorts) };
};

const TeamTrainings = () => {
  const { filters, matching: shared, order } = useTrainingFilters();
  const matching = { ...shared, user_id: given(filters.valueOf('user_id')) };
  const query = { ...matching, ...order };
  const list = usePages(app.sessions.list.infiniteQueryOptions(query, nextPage));
  const { data: count } = useQuery(app.sessions.count.queryOptions(matching));
  return (
    <TrainingList
      filters={filters}
      fields={[{ kind: 'member', name: 'user_id', label: t('Mitglied', 'Member'), by: 'user_id', status: 'active' }]}
      label={t('Trainings des Teams', 'Team trainings')}
      count={count}
      csv={{ read: (page) => client.app.sessions.list.query({ ...query, ...page }) }}
      columns={trainingColumns({ people: true })}
      list={list}
      hint={t('Die Trainings Ihres Teams erscheinen hier.', 'Your team’s trainings appear here.')}
      action={
        <Button component={Link} to="/assignments">
          {t('Aufgabe zuweisen', 'Create assignment')}
        </Button>
      }
    />
  );
};

/** Says that only the trainings of one assignment are listed. */
const OfAssignment = ({ id }: { id: string }) => {
  const { data } = useQuery(api.assignments.get.queryOptions({ assignment_id: id }));
  const title = data?.title;
  return (
    <Text size="sm">
      {typeof title === 'string'
        ? t(`Gefiltert nach Aufgabe „${title}“`, `Filtered by assignment “${title}”`)
        : t('Gefiltert nach einer Aufgabe', 'Filtered by an assignment')}
    </Text>
  );
};

interface TrainingListProps extends Pick<
  DataTableProps<ListedTraining>,
  'label' | 'count' | 'csv' | 'columns' | 'list' | 'hint' | 'action'
> {
  filters: Filters<TrainingFilter>;
  /** The filters that only one of the lists has. */
  fields?: readonly FilterField<TrainingFilter>[];
}

/** The frame of both lists of trainings, with their filters. */
const TrainingList = ({ filters, fields = [], ...table }: TrainingListProps) => {
  const assignment = filters.valueOf('assignment_id');
  const { data: choices } = useQuery(app.catalog.choices.queryOptions({}));
  return (
    <FilterBar
      list="trainings"
      filters={filters}
      rows={table.list.rows}
      fields={[
        ...fields,
        {
          kind: 'choice',
          name: 'situation',
          label: t('Situation', 'Situation'),
          options: (choices?.situation ?? []).map(({ id, name }) => ({ value: id, label: name ?? id })),
        },
        { kind: 'choice', name: 'status', label: t('Status', 'Status'), options: stateOptions(trainingStates()) },
        {
          kind: 'choice',
          name: 'score',
          label: t('Punktzahl', 'Score'),
          options: [
            { value: 'low', label: t('unter 60', 'below 60') },
            { value: 'middle', label: t('60 bis 79', '60 to 79') },
            { value: 'high', label: t('ab 80', '80 and above') },
          ],
        },
        { kind: 'range', names: rangeNames, label: t('Zeitraum', 'Time range') },
      ]}
      views={[
        { name: t('Letzte 7 Tage', 'Last 7 days'), filters: { range: '7d' } },
        { name: t('Unter 60 Punkten', 'Below 60 points'), filters: { score: 'low' } },
      ]}
    >
      {assignment !== '' && <OfAssignment id={assignment} />}
      <DataTable
        {...table}
        serverSorts={serverSorts}
        keyOf={({ id }) => id}
        peek={{ title: titleOf, to: (id) => `/trainings/${id}`, of: (id) => <OneTraining id={id} isBrief /> }}
        filters={{ ...filters, what: t('Trainings', 'trainings') }}
        none={t('Noch keine Trainings', 'No trainings yet')}
      />
    </FilterBar>
  );
};

const OwnTrainings = () => {
  const { filters, matching, order } = useTrainingFilters();
  const query = { ...matching, ...order };
  const list = usePages(app.myTrainings.list.infiniteQueryOptions(query, nextPage));
  const { data: count } = useQuery(app.myTrainings.count.queryOptions(matching));
  return (
    <TrainingList
      filters={filters}
      label={t('Ihre Trainings', 'Your trainings')}
      count={count}
      csv={{ read: (page) => client.app.myTrainings.list.query({ ...query, ...page }) }}
      columns={trainingColumns()}
      list={list}
      hint={t('Ihre Trainings erscheinen hier.', 'Your trainings appear here.')}
    />
  );
};
