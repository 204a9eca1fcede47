import { Skeleton, Stack, Text } from '@mantine/core';
import { Dialog } from '../../kit/dialog.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { AssignmentFacts } from './assignment-facts.tsx';
import { AssignmentMoves } from './assignment-moves.tsx';
import { useTitle } from './assignment-words.tsx';

/** One of one’s own assignments, as a mail about it links to it. */
export const OwnAssignmentDialog = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const t = useText();
  const titleOf = useTitle();
  const { data: found, error } = app.useAnswer('assigning.own', { assignment_id: id }, { enabled: id !== '' });
  const isMissing = problemOf(error)?.code === 'not_found';
  const conversations = found?.training_ids ?? [];
  return (
    <Dialog
      title={found && !isMissing ? titleOf(found) : t('Aufgabe', 'Assignment')}
      opened={id !== ''}
      onClose={onClose}
      size="lg"
    >
      {isMissing ? (
        <Text size="sm">
          {t(
            'Diese Aufgabe gibt es nicht mehr, oder sie ist nicht Ihre.',
            'This assignment is no longer there, or is not yours.',
          )}
        </Text>
      ) : found ? (
        <Stack>
          <AssignmentFacts
            assignment={found}
            overdue={found.overdue}
            trainings={conversations.map((training, index) => {
              const number = conversations.length - index;
              return { id: training, label: t(`Gespräch ${number}`, `Conversation ${number}`) };
            })}
          />
          <AssignmentMoves of={found} onAsk={onClose} />
        </Stack>
      ) : error ? (
        <ProblemAlert error={error} />
      ) : (
        <Skeleton height={220} role="status" aria-label={t('Wird geladen', 'Loading')} />
      )}
    </Dialog>
  );
};
