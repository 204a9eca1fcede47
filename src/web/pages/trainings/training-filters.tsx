import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { useFilters } from '../../kit/filters.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { usePersonNames } from '../../kit/names.ts';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { StateChoice } from './state-choice.tsx';

type Filters = ReturnType<typeof useFilters<'status' | 'user_id' | 'since' | 'assignment_id'>>;

/** Says that only the trainings of one assignment are listed, and undoes it. */
const OfAssignment = ({ id, onClear }: { id: string; onClear: () => void }) => {
  const t = useText();
  const { data } = api.useAnswer('assignments.get', { assignment_id: id });
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

/** What the list shows, all of it in the address. */
export const TrainingFilters = ({ filters: { valueOf, set } }: { filters: Filters }) => {
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
          {...(name !== undefined && { otherwise: name })}
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
