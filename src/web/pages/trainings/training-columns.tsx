import { Anchor, Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import type { Column } from '../../kit/data-table.tsx';
import { useCatalogNames, usePersonNames } from '../../kit/names.ts';
import { Time } from '../../kit/time.tsx';
import { lengthOf, TrainingStatus } from '../../kit/training.tsx';
import type { Training } from '../../kit/training.tsx';
import { useText } from '../../language/language.ts';

const Coming = () => <Skeleton height={14} width={120} component="span" display="inline-block" />;

/** How a list shows trainings; with people where it is about more than oneself. */
export const useTrainingColumns = (
  rows: readonly Training[] = [],
  { people = false }: { people?: boolean } = {},
): readonly Column<Training>[] => {
  const t = useText();
  const names = useCatalogNames(
    rows.flatMap(({ situation_id, personality_id, industry_id }) => [situation_id, personality_id, industry_id]),
  );
  const persons = usePersonNames(people ? rows.map(({ user_id }) => user_id) : []);
  const named = (id: string | null) => (id === null ? undefined : names?.get(id));

  const person: Column<Training> = {
    label: t('Wer', 'Who'),
    cell: ({ user_id }) => (persons ? (persons.get(user_id) ?? t('Unbekannt', 'Unknown')) : <Coming />),
  };
  return [
    {
      label: t('Training', 'Training'),
      cell: ({ id, situation_id }) =>
        names ? (
          <Anchor component={Link} to={`/trainings/${id}`} inherit fw={600}>
            {named(situation_id) ?? t('Freies Training', 'Free training')}
          </Anchor>
        ) : (
          <Coming />
        ),
    },
    ...(people ? [person] : []),
    {
      label: t('Gegenüber', 'Counterpart'),
      cell: ({ personality_id, industry_id }) =>
        names ? [personality_id, industry_id].flatMap((id) => named(id) ?? []).join(' · ') || '–' : <Coming />,
    },
    { label: t('Stand', 'State'), cell: ({ status }) => <TrainingStatus of={status} /> },
    {
      label: t('Begonnen', 'Started'),
      cell: ({ created_at }) => (created_at === null ? '–' : <Time at={created_at} />),
    },
    {
      label: t('Dauer', 'Length'),
      cell: ({ duration_s }) => (duration_s === null ? '–' : lengthOf(duration_s)),
      align: 'end',
    },
  ];
};
