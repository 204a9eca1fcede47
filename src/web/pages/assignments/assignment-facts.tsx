import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Assignment } from '../../../modules/assignments/schema.ts';
import { Facts } from '../../kit/facts.tsx';
import { Time } from '../../kit/formats.tsx';
import { useCatalogNames } from '../../kit/names.ts';
import { useDimensionName } from '../../kit/scores.tsx';
import { useText } from '../../language/language.tsx';
import { AssignmentStatusMark, Due } from './assignment-words.tsx';

interface AssignmentFactsProps {
  assignment: Omit<Assignment, 'member_user_id' | 'member_email'>;
  overdue: boolean;
  member?: ReactNode;
  /** The conversations that were held for it, the newest first. */
  trainings: readonly { id: string; label: ReactNode }[];
}

/** Everything that an assignment says. */
export const AssignmentFacts = ({ assignment, overdue, member = null, trainings }: AssignmentFactsProps) => {
  const t = useText();
  const dimensionOf = useDimensionName();
  const { situation_id, personality_id, industry_id, focus_dimension, note, created_at } = assignment;
  const names = useCatalogNames([situation_id, personality_id, industry_id]);
  const nameOf = (id: string | null) => (id === null ? null : (names?.get(id) ?? null));
  const facts: [name: string, value: ReactNode][] = [
    [t('Status', 'Status'), <AssignmentStatusMark status={assignment.status} />],
    [t('Mitglied', 'Member'), member],
    [t('Fällig', 'Due'), <Due on={assignment.due_date} overdue={overdue} />],
    [t('Situation', 'Situation'), nameOf(situation_id)],
    [t('Gegenüber', 'Personality'), nameOf(personality_id)],
    [t('Branche', 'Industry'), nameOf(industry_id)],
    [t('Schwerpunkt', 'Focus'), focus_dimension === null ? null : dimensionOf(focus_dimension)],
    [t('Hinweis', 'Note'), note === null ? null : <span style={{ whiteSpace: 'pre-line' }}>{note}</span>],
    [t('Vergeben', 'Given'), created_at === null ? null : <Time at={created_at} />],
    [
      t('Gespräche', 'Conversations'),
      trainings.length === 0 ? (
        t('Noch keins', 'None yet')
      ) : (
        <Group gap="xs">
          {trainings.map(({ id, label }) => (
            <Anchor key={id} component={Link} to={`/trainings/${id}`} inherit>
              {label}
            </Anchor>
          ))}
        </Group>
      ),
    ],
  ];
  const told = facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  return <Facts facts={told} />;
};
