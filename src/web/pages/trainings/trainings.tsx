import { Box, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Link } from 'react-router';
import { useFilters } from '../../kit/filters.tsx';
import { startOfDay } from '../../kit/formats.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { Empty } from '../../kit/messages.tsx';
import { usePersonNames } from '../../kit/names.ts';
import { DetailsOff, Page } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { useSeesOthers, useTrainingColumns, useTrainingStates } from './training-words.tsx';
import type { TrainingState } from './training-words.tsx';

export default function TrainingsPage() {
  const t = useText();
  const { may } = useSignedIn();
  const seesOthers = useSeesOthers();
  return (
    <Page
      title={t('Trainings', 'Trainings')}
      lead={
        seesOthers
          ? t('Was in Ihrem Team geübt wurde, das Neueste zuerst.', 'What your team practised, newest first.')
          : t('Was Sie geübt haben, das Neueste zuerst.', 'What you practised, newest first.')
      }
    >
      {may('admin') && !seesOthers && (
        <DetailsOff title={t('Einzelne Personen sind verborgen', 'Individual people are hidden')}>
          {t('Unten stehen deshalb nur Ihre eigenen Trainings.', 'So only your own trainings are listed below.')}
        </DetailsOff>
      )}
      {seesOthers ? <TeamTrainings /> : <OwnTrainings />}
    </Page>
  );
}

const given = (text: string): string | undefined => (text === '' ? undefined : text);

/** The trainings of the whole team. */
const TeamTrainings = () => {
  const t = useText();
  const filters = useFilters('status', 'user_id', 'since', 'assignment_id');
  const list = api.usePages('trainings.list', {
    status: stateIn(filters.valueOf('status')),
    user_id: given(filters.valueOf('user_id')),
    since: startOfDay(filters.valueOf('since')),
    assignment_id: given(filters.valueOf('assignment_id')),
  });
  const columns = useTrainingColumns(list.rows, { people: true });
  return (
    <Stack gap="md">
      <TrainingFilters filters={filters} />
      <DataTable
        label={t('Trainings des Teams', 'The team’s trainings')}
        columns={columns}
        rows={list.rows}
        keyOf={({ id }) => id}
        error={list.error}
        retry={() => void list.refetch()}
        more={list}
        empty={
          filters.isSet ? (
            <Empty
              title={t('Keine Trainings entsprechen den Filtern', 'No trainings match these filters')}
              action={
                <Button variant="default" onClick={filters.clear}>
                  {t('Filter entfernen', 'Remove filters')}
                </Button>
              }
            />
          ) : (
            <Empty
              title={t('Noch kein Training', 'No training yet')}
              action={
                <Button component={Link} to="/assignments" variant="default">
                  {t('Etwas zu üben geben', 'Give somebody something to practise')}
                </Button>
              }
            >
              {t('Die Trainings Ihres Teams erscheinen hier.', 'Your team’s trainings appear here.')}
            </Empty>
          )
        }
      />
    </Stack>
  );
};

type Filters = ReturnType<typeof useFilters<'status' | 'user_id' | 'since' | 'assignment_id'>>;

/** Says that only the trainings of one assignment are listed, with a button to list all. */
const OfAssignment = ({ id, onClear }: { id: string; onClear: () => void }) => {
  const t = useText();
  const { data } = api.useQuery('assignments.get', { assignment_id: id });
  const title = data?.title;
  return (
    <Group gap="sm">
      <Text size="sm">
        {typeof title === 'string'
          ? t(`Nur Trainings der Aufgabe „${title}“`, `Only trainings of the assignment “${title}”`)
          : t('Nur Trainings einer Aufgabe', 'Only trainings of one assignment')}
      </Text>
      <Button size="compact-sm" variant="default" onClick={onClear}>
        {t('Alle zeigen', 'Show all')}
      </Button>
    </Group>
  );
};

/** The filters of the list, which are stored in the URL. */
const TrainingFilters = ({ filters: { valueOf, set } }: { filters: Filters }) => {
  const t = useText();
  const assignment = valueOf('assignment_id');
  const userId = valueOf('user_id');
  const name = usePersonNames([userId === '' ? null : userId])?.get(userId);
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md" maw={760}>
        <MemberChoice
          label={t('Wer', 'Who')}
          placeholder={t('Alle', 'Everybody')}
          by="user_id"
          status="active"
          value={userId}
          onChange={(chosen) => set('user_id', chosen)}
          {...(name !== undefined && { fallbackName: name })}
        />
        <StateChoice value={valueOf('status')} onChange={(value) => set('status', value)} />
        <TextInput
          type="date"
          label={t('Seit', 'Since')}
          value={valueOf('since')}
          onChange={(event) => set('since', event.currentTarget.value)}
        />
      </SimpleGrid>
      {assignment !== '' && <OfAssignment id={assignment} onClear={() => set('assignment_id', null)} />}
    </Stack>
  );
};

/** The reader's own trainings. */
const OwnTrainings = () => {
  const t = useText();
  const filters = useFilters('status');
  const status = stateIn(filters.valueOf('status'));
  const list = app.usePages('myTrainings.list', { status });
  const columns = useTrainingColumns(list.rows);
  return (
    <Stack gap="md">
      <Box maw={240}>
        <StateChoice value={filters.valueOf('status')} onChange={(value) => filters.set('status', value)} />
      </Box>
      <DataTable
        label={t('Ihre Trainings', 'Your trainings')}
        columns={columns}
        rows={list.rows}
        keyOf={({ id }) => id}
        error={list.error}
        retry={() => void list.refetch()}
        more={list}
        empty={
          filters.isSet ? (
            <Empty
              title={t('Keine Trainings mit diesem Status', 'No trainings in this state')}
              action={
                <Button variant="default" onClick={filters.clear}>
                  {t('Alle zeigen', 'Show all')}
                </Button>
              }
            />
          ) : (
            <Empty title={t('Noch kein Training', 'No training yet')}>
              {t('Ihre Übungsgespräche erscheinen hier.', 'Your practice conversations show up here.')}
            </Empty>
          )
        }
      />
    </Stack>
  );
};

const states = ['running', 'ended', 'scored', 'aborted'] as const satisfies readonly TrainingState[];

/** The state in a URL; undefined if there is no such state. */
const stateIn = (text: string): TrainingState | undefined => states.find((state) => state === text);

interface StateChoiceProps {
  value: string;
  onChange: (value: string | null) => void;
}

const StateChoice = ({ value, onChange }: StateChoiceProps) => {
  const t = useText();
  const names = useTrainingStates();
  return (
    <Select
      label={t('Stand', 'State')}
      placeholder={t('Alle', 'All')}
      data={states.map((state) => ({ value: state, label: names[state] }))}
      value={stateIn(value) ?? null}
      onChange={onChange}
      clearable
      clearButtonProps={{ 'aria-label': t('Stand: alle', 'State: all') }}
    />
  );
};
