import { Anchor } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { useTitle } from './assignment-words.tsx';

/** Opens an assignment on top of the list that it stands in. */
export const AssignmentLink = ({ assignment }: { assignment: { id: string; title: string | null } }) => {
  const titleOf = useTitle();
  const [params] = useSearchParams();
  const next = new URLSearchParams(params);
  next.set('assignment_id', assignment.id);
  return (
    <Anchor component={Link} to={`?${next}`} underline="hover" fw={550} inherit>
      {titleOf(assignment)}
    </Anchor>
  );
};
