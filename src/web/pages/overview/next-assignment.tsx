import { Group, Skeleton, Text } from '@mantine/core';
import type { OwnAssignment } from '../../../modules/assignments/schema.ts';
import { Status } from '../../kit/facts.tsx';
import { Day } from '../../kit/formats.tsx';
import { useDimensionName } from '../../kit/scores.tsx';
import { useText } from '../../language/language.tsx';
import { AssignmentMoves } from '../assignments/assignment-moves.tsx';
import { AssignmentStatusMark, useTitle } from '../assignments/assignment-words.tsx';
import classes from './overview.module.css';

interface NextAssignmentProps {
  assignment: OwnAssignment;
  /** Of the catalog's items; undefined while they load. */
  names: ReadonlyMap<string, string> | undefined;
}

const When = ({ assignment: { due_date, overdue } }: { assignment: OwnAssignment }) => {
  const t = useText();
  if (due_date === null) return null;
  return (
    <Status tone={overdue ? 'bad' : 'plain'}>
      <span>
        {overdue ? t('Überfällig, war fällig am', 'Overdue, was due on') : t('Fällig am', 'Due on')}{' '}
        <Day on={due_date} />
      </span>
    </Status>
  );
};

/** With whom and in what, as far as it has a name. */
const Practice = ({ assignment, names }: NextAssignmentProps) => {
  const t = useText();
  const nameOf = useDimensionName();
  if (!names) return <Skeleton height={14} width="70%" my={4} />;
  const { situation_id, personality_id, industry_id, focus_dimension } = assignment;
  const practised = [situation_id, personality_id, industry_id].flatMap((id) => names.get(id ?? '') ?? []).join(' · ');
  return (
    <Text size="sm" c="dimmed">
      {practised}
      {focus_dimension !== null && ` · ${t('Schwerpunkt', 'Focus')}: ${nameOf(focus_dimension)}`}
    </Text>
  );
};

/** One thing to practise, to begin and to finish here. */
export const NextAssignment = ({ assignment, names }: NextAssignmentProps) => {
  const titleOf = useTitle();
  const { note } = assignment;
  return (
    <li>
      <div className={classes['words']}>
        <Text fw={600}>{titleOf(assignment)}</Text>
        <Practice assignment={assignment} names={names} />
        {note !== null && note !== '' && (
          <Text size="sm" mt={4} lineClamp={3}>
            {note}
          </Text>
        )}
      </div>
      <Group justify="space-between" gap="xs" mt="xs">
        <Group gap="xs">
          {assignment.status === 'in_progress' && <AssignmentStatusMark status={assignment.status} />}
          <When assignment={assignment} />
        </Group>
        <AssignmentMoves of={assignment} />
      </Group>
    </li>
  );
};
