import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { CaseForm } from './case-form.tsx';

/** Where the cases stand that a dialog is about: with the team, or with whoever is signed in alone. */
export type Shelf = 'team' | 'own';

interface DialogProps {
  shelf: Shelf;
  onClose: () => void;
}

const NewCase = ({ shelf, onClose }: DialogProps) => {
  const t = useText();
  const forTeam = api.useChange('cases.create');
  const forOneself = app.useChange('ownCases.create');
  const onSuccess = () => {
    tell(t('Der Fall ist angelegt.', 'The case is created.'));
    onClose();
  };
  return (
    <CaseForm
      former={undefined}
      choosesOwner={shelf === 'team'}
      isSaving={forTeam.isPending || forOneself.isPending}
      error={forTeam.error ?? forOneself.error}
      onSave={(said, user_id) => {
        if (shelf === 'team') forTeam.mutate({ user_id, ...said }, { onSuccess });
        else forOneself.mutate(said, { onSuccess });
      }}
      onClose={onClose}
    />
  );
};

const EditCase = ({ former, shelf, onClose }: DialogProps & { former: Case }) => {
  const t = useText();
  const ofTeam = api.useChange('cases.change');
  const ofOneself = app.useChange('ownCases.change');
  const change = shelf === 'team' ? ofTeam : ofOneself;
  return (
    <CaseForm
      former={former}
      choosesOwner={false}
      isSaving={change.isPending}
      error={change.error}
      onSave={(said) =>
        change.mutate(
          { case_id: former.id, ...said },
          {
            onSuccess: () => {
              tell(t('Der Fall ist gespeichert.', 'The case is saved.'));
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    />
  );
};

export const NewCaseDialog = ({ opened, ...dialog }: DialogProps & { opened: boolean }) => {
  const t = useText();
  const title =
    dialog.shelf === 'team' ? t('Neuer Fall für das Team', 'New case for the team') : t('Neuer Fall', 'New case');
  return (
    <Dialog title={title} opened={opened} onClose={dialog.onClose} size="lg">
      <NewCase {...dialog} />
    </Dialog>
  );
};

interface OpenCaseDialogProps extends DialogProps {
  /** Empty while none is open. */
  id: string;
  /** The same in the list, if it stands there. */
  row: Case | undefined;
}

/** A case to look at and to change. */
export const OpenCaseDialog = ({ id, row, ...dialog }: OpenCaseDialogProps) => {
  const t = useText();
  const isAsked = id !== '' && !row;
  const ofTeam = api.useAnswer('cases.get', { case_id: id }, { enabled: isAsked && dialog.shelf === 'team' });
  const ofOneself = app.useAnswer('ownCases.get', { case_id: id }, { enabled: isAsked && dialog.shelf === 'own' });
  const { data, error } = dialog.shelf === 'team' ? ofTeam : ofOneself;
  const former = row ?? data;
  const content: ReactNode = former ? (
    <EditCase key={id} former={former} {...dialog} />
  ) : error ? (
    <ProblemAlert error={error} />
  ) : (
    <Skeleton height={260} role="status" aria-label={t('Wird geladen', 'Loading')} />
  );
  return (
    <Dialog title={former?.title ?? t('Fall', 'Case')} opened={id !== ''} onClose={dialog.onClose} size="lg">
      {content}
    </Dialog>
  );
};
