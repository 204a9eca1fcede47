import { Code, Input, Skeleton, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { api, app } from '../../server/server.ts';
import { draftOf, FieldsEditor, readDraft } from './fields-editor.tsx';

/** Where the cases stand that a dialog is about: with the team, or with whoever is signed in alone. */
type Shelf = 'team' | 'own';

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

/** The values of the form. Fields that were not edited are left out. */
interface CaseSaid {
  title: string | null;
  persona_id: string | null;
  /** As JSON text, in which numbers keep every digit. */
  fields?: string | null;
}

interface CaseFormProps {
  /** Undefined for a new one. */
  former: Case | undefined;
  /** Whether somebody is chosen whose case it will be. */
  choosesOwner: boolean;
  isSaving: boolean;
  error: unknown;
  onSave: (said: CaseSaid, owner: string) => void;
  onClose: () => void;
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const CaseForm = ({ former, choosesOwner, isSaving, error, onSave, onClose }: CaseFormProps) => {
  const t = useText();
  const [title, setTitle] = useState(former?.title ?? '');
  const [persona, setPersona] = useState(former?.persona_id ?? '');
  const [owner, setOwner] = useState('');
  const [fields, setFields] = useState(() => draftOf(former?.fields ?? null));
  const [touched, setTouched] = useState(false);
  const [tried, setTried] = useState(false);
  const flaws = flawsByField(problemOf(error));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const read = readDraft(fields);
    if (touched && read === undefined) return;
    if (choosesOwner && owner === '') return;
    const said = { title: textOrNull(title), persona_id: textOrNull(persona) };
    const changed = touched && read !== undefined;
    onSave({ ...said, ...(changed && { fields: read === null ? null : JSON.stringify(read) }) }, owner);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('Titel', 'Title')}
          data-autofocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={flaws['title']}
        />
        {choosesOwner && (
          <MemberChoice
            label={t('Wessen Fall', 'Whose case')}
            placeholder={t('Ein aktives Mitglied', 'An active member')}
            by="user_id"
            status="active"
            required
            value={owner}
            onChange={(id) => setOwner(id ?? '')}
            error={flaws['user_id']}
          />
        )}
        <TextInput
          label={t('Persona', 'Persona')}
          description={t(
            'Kennung aus Ihrem eigenen System; nicht aus dem Katalog.',
            'An id of your own; not from the catalog.',
          )}
          value={persona}
          onChange={(event) => setPersona(event.currentTarget.value)}
          error={flaws['persona_id']}
        />
        <FieldsEditor
          value={fields}
          tried={tried}
          onChange={(draft) => {
            setTouched(true);
            setFields(draft);
          }}
        />
        {former?.external_ref && (
          <div>
            <Input.Label component="div">{t('Bezug in anderen Systemen', 'Reference in other systems')}</Input.Label>
            <Code block>{JSON.stringify(former.external_ref, null, 2)}</Code>
          </div>
        )}
        <ProblemAlert error={error} />
        <DialogButtons
          action={former ? t('Speichern', 'Save') : t('Fall anlegen', 'Create case')}
          running={isSaving}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};
