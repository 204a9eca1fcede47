import { Button, Group, Stack } from '@mantine/core';
import type { OwnAssignment } from '../../../modules/assignments/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useTitle } from './assignment-words.tsx';

interface AssignmentMovesProps {
  of: Pick<OwnAssignment, 'id' | 'title' | 'status'>;
  /** Before it asks: a dialog makes room for the question. */
  onAsk?: () => void;
}

/** How a member moves one of their own assignments on. */
export const AssignmentMoves = ({ of: assignment, onAsk }: AssignmentMovesProps) => {
  const t = useText();
  const confirm = useConfirm();
  const begin = app.useChange('assigning.begin');
  const finish = app.useChange('assigning.finish');
  const { id: assignment_id, status } = assignment;
  const title = useTitle()(assignment);

  if (status === 'done' || status === 'revoked') return null;
  const askToFinish = () => {
    onAsk?.();
    confirm({
      title: t('Ist diese Aufgabe erledigt?', 'Is this assignment done?'),
      consequences: t(
        `„${title}“ gilt dann als erledigt. Wieder öffnen kann die Aufgabe nur, wer das Team verwaltet.`,
        `“${title}” then counts as done. Only somebody who administers the team can open it again.`,
      ),
      action: t('Erledigt', 'Done'),
      harmless: true,
      act: async () => {
        await finish.mutateAsync({ assignment_id });
        tell(t('Die Aufgabe ist erledigt.', 'The assignment is done.'));
      },
    });
  };
  return (
    <Stack gap="xs" align="flex-end">
      <Group gap="xs" justify="flex-end">
        {status === 'open' && (
          <Button
            size="xs"
            loading={begin.isPending}
            aria-label={t(`Beginnen: ${title}`, `Begin: ${title}`)}
            onClick={() => begin.mutate({ assignment_id })}
          >
            {t('Beginnen', 'Begin')}
          </Button>
        )}
        <Button
          size="xs"
          variant={status === 'open' ? 'default' : 'filled'}
          aria-label={t(`Erledigt: ${title}`, `Done: ${title}`)}
          onClick={askToFinish}
        >
          {t('Erledigt', 'Done')}
        </Button>
      </Group>
      <ProblemAlert error={begin.error} />
    </Stack>
  );
};
