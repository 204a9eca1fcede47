import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Assignment, GivenAssignment } from '../../../modules/assignments/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Time } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { AssignmentFacts } from './assignment-facts.tsx';
import { AssignmentForm } from './assignment-form.tsx';
import { useTitle } from './assignment-words.tsx';
import { useMoves } from './use-moves.ts';

interface Shown {
  assignment: Assignment;
  overdue: boolean;
  onClose: () => void;
}

/** Somebody by name and email. */
const useMemberOf = ({ member_user_id: userId, member_email: email }: Assignment): string | null => {
  const user_ids = userId === null ? [] : [userId];
  const { data } = app.useAnswer('members.names', { user_ids }, { enabled: user_ids.length > 0 });
  const name = data?.data[0]?.name;
  return [name, email].filter((part) => typeof part === 'string').join(' · ') || null;
};

const Look = ({ assignment, overdue, onClose, onEdit }: Shown & { onEdit: () => void }) => {
  const t = useText();
  const moves = useMoves();
  const member = useMemberOf(assignment);
  const trainings = api.useAnswer('trainings.list', { assignment_id: assignment.id });
  const [complete, reopen] = [moves.completing(assignment), moves.reopening(assignment)];
  return (
    <Stack>
      <AssignmentFacts
        assignment={assignment}
        overdue={overdue}
        member={member}
        trainings={(trainings.data?.data ?? []).map(({ id, created_at }) => ({
          id,
          label: created_at === null ? id : <Time at={created_at} />,
        }))}
      />
      <ProblemAlert error={moves.error} />
      <Group justify="space-between">
        <Button
          variant="subtle"
          color="gray"
          c="var(--bad)"
          onClick={() => {
            onClose();
            moves.askToRemove(assignment);
          }}
        >
          {t('Löschen …', 'Delete …')}
        </Button>
        <Group gap="sm">
          <Button variant="default" onClick={onEdit}>
            {t('Bearbeiten', 'Edit')}
          </Button>
          {complete && (
            <Button loading={moves.isMoving} onClick={() => complete(assignment)}>
              {t('Als erledigt markieren', 'Mark as done')}
            </Button>
          )}
          {reopen && (
            <Button loading={moves.isMoving} onClick={() => reopen(assignment)}>
              {t('Wieder öffnen', 'Reopen')}
            </Button>
          )}
        </Group>
      </Group>
    </Stack>
  );
};

const Body = (shown: Shown) => {
  const [editing, setEditing] = useState(false);
  return editing ? (
    <AssignmentForm assignment={shown.assignment} onClose={() => setEditing(false)} />
  ) : (
    <Look {...shown} onEdit={() => setEditing(true)} />
  );
};

interface GivenAssignmentDialogProps {
  /** Empty while none is open. */
  id: string;
  /** The same in the list, if it stands there. */
  row: GivenAssignment | undefined;
  onClose: () => void;
}

/** An assignment as an admin sees it. */
export const GivenAssignmentDialog = ({ id, row, onClose }: GivenAssignmentDialogProps) => {
  const t = useText();
  const titleOf = useTitle();
  const isOpen = id !== '';
  const { data, error } = api.useAnswer('assignments.get', { assignment_id: id }, { enabled: isOpen && !row });
  const assignment = row ?? data;
  return (
    <Dialog
      title={assignment ? titleOf(assignment) : t('Aufgabe', 'Assignment')}
      opened={isOpen}
      onClose={onClose}
      size="lg"
    >
      {assignment ? (
        <Body key={id} assignment={assignment} overdue={row?.overdue ?? false} onClose={onClose} />
      ) : error ? (
        <ProblemAlert error={error} />
      ) : (
        <Skeleton height={220} role="status" aria-label={t('Wird geladen', 'Loading')} />
      )}
    </Dialog>
  );
};
