import { Box, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { DateField } from '../../kit/form/date-field.tsx';
import { stateOptions } from '../../kit/page/facts.tsx';
import { FilterSelect, given, isKeyOf, useFilters } from '../../kit/list/filters.tsx';
import { startOfDay } from '../../kit/text/formats.tsx';
import { MemberChoice } from '../../kit/names/members.tsx';
import { usePersonNames } from '../../kit/names/names.tsx';
import { DetailsOff, Page } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { api, app, client, nextPage, usePages } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { referredIn, trainingStates, useSeesOthers, useTrainingColumns } from './training-words.tsx';

export default function TrainingsPage() {
  const { may } = useSignedIn();
  const seesOthers = useSeesOthers();
  return (
    <Page title={t('Trainings', 'Trainings')}>
      {may('admin') && !seesOthers && (
        <DetailsOff title={t('Personenbezogene Daten ausgeblendet', 'Individual data is hidden')}>
          {t('Es werden nur Ihre eigenen Trainings angezeigt.', 'Only your own trainings are shown.')}
        </DetailsOff>
      )}
      {seesOthers ? <TeamTrainings /> : <OwnTrainings />}
    </Page>
  );
}

const TeamTrainings = () => {
  const filters = useFilters('status', 'user_id', 'since', 'assignment_id');
  const query = {
    status: stateIn(filters.valueOf('status')),
    user_id: given(filters.valueOf('user_id')),
    since: startOfDay(filters.valueOf('since')),
    assignment_id: given(filters.valueOf('assignment_id')),
  };
  const list = usePages(api.trainings.list.infiniteQueryOptions(query, nextPage));
  const { data: count } = useQuery(app.sessions.count.queryOptions(query));
  const columns = useTrainingColumns(list.rows, { people: true });
  return (
    <Stack gap="md">
      <TrainingFilters filters={filters} />
      <DataTable
        label={t('Trainings des Teams', 'Team trainings')}
        count={count}
        csv={{ read: (page) => client.api.trainings.list.query({ ...query, ...page }), refers: referredIn }}
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        filters={{ ...filters, what: t('Trainings', 'trainings') }}
        none={t('Noch keine Trainings', 'No trainings yet')}
        hint={t('Die Trainings Ihres Teams erscheinen hier.', 'Your team’s trainings appear here.')}
        action={
          <Button component={Link} to="/assignments">
            {t('Aufgabe zuweisen', 'Create assignment')}
          </Button>
        }
      />
    </Stack>
  );
};

type Filters = ReturnType<typeof useFilters<'status' | 'user_id' | 'since' | 'assignment_id'>>;

/** Says that only the trainings of one assignment are listed, with a button to list all. */
const OfAssignment = ({ id, onClear }: { id: string; onClear: () => void }) => {
  const { data } = useQuery(api.assignments.get.queryOptions({ assignment_id: id }));
  const title = data?.title;
  return (
    <Group gap="sm">
      <Text size="sm">
        {typeof title === 'string'
          ? t(`Gefiltert nach Aufgabe „${title}“`, `Filtered by assignment “${title}”`)
          : t('Gefiltert nach einer Aufgabe', 'Filtered by an assignment')}
      </Text>
      <Button size="compact-sm" onClick={onClear}>
        {t('Filter zurücksetzen', 'Clear filters')}
      </Button>
    </Group>
  );
};

const TrainingFilters = ({ filters }: { filters: Filters }) => {
  const { valueOf, set } = filters;
  const assignment = valueOf('assignment_id');
  const userId = valueOf('user_id');
  const name = usePersonNames([userId === '' ? null : userId]).get(userId) ?? undefined;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="md" maw={760}>
        <MemberChoice
          label={t('Mitglied', 'Member')}
          placeholder={t('Alle', 'All')}
          by="user_id"
          status="active"
          value={userId}
          onChange={(chosen) => set('user_id', chosen)}
          {...(name !== undefined && { fallbackName: name })}
        />
        <StateChoice filters={filters} />
        <DateField label={t('Seit', 'Since')} value={valueOf('since')} onChange={(since) => set('since', since)} />
      </SimpleGrid>
      {assignment !== '' && <OfAssignment id={assignment} onClear={() => set('assignment_id', null)} />}
    </Stack>
  );
};

const OwnTrainings = () => {
  const filters = useFilters('status');
  const status = stateIn(filters.valueOf('status'));
  const list = usePages(app.myTrainings.list.infiniteQueryOptions({ status }, nextPage));
  const { data: count } = useQuery(app.myTrainings.count.queryOptions({ status }));
  const columns = useTrainingColumns(list.rows);
  return (
    <Stack gap="md">
      <Box maw={240}>
        <StateChoice filters={filters} />
      </Box>
      <DataTable
        label={t('Ihre Trainings', 'Your trainings')}
        count={count}
        csv={{ read: (page) => client.app.myTrainings.list.query({ status, ...page }), refers: referredIn }}
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        filters={{ ...filters, what: t('Trainings', 'trainings') }}
        none={t('Noch keine Trainings', 'No trainings yet')}
        hint={t('Ihre Trainings erscheinen hier.', 'Your trainings appear here.')}
      />
    </Stack>
  );
};

const stateIn = (text: string) => (isKeyOf(trainingStates(), text) ? text : undefined);

const StateChoice = ({ filters }: { filters: ReturnType<typeof useFilters<'status'>> }) => (
  <FilterSelect
    filters={filters}
    name="status"
    label={t('Status', 'Status')}
    options={stateOptions(trainingStates())}
  />
);
