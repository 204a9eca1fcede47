import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useTitle } from './assignment-words.tsx';

type Moved = Pick<GivenAssignment, 'id' | 'title' | 'status'>;

/** What an admin does with an assignment, beyond changing what it says. */
export const useMoves = () => {
  const t = useText();
  const titleOf = useTitle();
  const confirm = useConfirm();
  const change = app.useChange('assigning.change');
  const remove = app.useChange('assigning.remove');
  const move = (status: Moved['status'], said: string) => (assignment: Moved) =>
    change.mutate({ assignment_id: assignment.id, status }, { onSuccess: () => tell(said) });
  const complete = move('done', t('Die Aufgabe ist erledigt.', 'The assignment is done.'));
  const reopen = move('open', t('Die Aufgabe ist wieder offen.', 'The assignment is open again.'));
  const withdraw = move('revoked', t('Die Aufgabe ist zurückgezogen.', 'The assignment is withdrawn.'));
  return {
    isMoving: change.isPending,
    error: change.error,
    /** Undefined where it makes no sense. */
    completing: ({ status }: Moved) => (status === 'open' || status === 'in_progress' ? complete : undefined),
    reopening: ({ status }: Moved) => (status === 'done' || status === 'revoked' ? reopen : undefined),
    withdrawing: ({ status }: Moved) => (status === 'open' || status === 'in_progress' ? withdraw : undefined),
    askToRemove: (assignment: Moved) =>
      confirm({
        title: t(`„${titleOf(assignment)}“ löschen?`, `Delete “${titleOf(assignment)}”?`),
        consequences: t(
          'Die Aufgabe verschwindet hier, beim Mitglied und in der API. Gespräche, die dazu geführt wurden, bleiben und gehören dann zu keiner Aufgabe mehr. Das lässt sich nicht rückgängig machen. Soll sie nur nicht mehr gelten, ziehen Sie sie stattdessen zurück.',
          'The assignment disappears here, from the member and from the API. Conversations held for it stay and then belong to no assignment. This can’t be undone. If it should just no longer apply, withdraw it instead.',
        ),
        action: t('Aufgabe löschen', 'Delete assignment'),
        act: async () => {
          await remove.mutateAsync({ assignment_id: assignment.id });
          tell(t('Die Aufgabe ist gelöscht.', 'The assignment is deleted.'));
        },
      }),
  };
};
