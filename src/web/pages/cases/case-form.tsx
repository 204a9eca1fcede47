import { Code, Input, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { DialogButtons } from '../../kit/dialog.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { draftOf, FieldsEditor, readDraft } from './fields-editor.tsx';

/** The values of the form. Fields that were not edited are left out. */
export interface CaseSaid {
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

export const CaseForm = ({ former, choosesOwner, isSaving, error, onSave, onClose }: CaseFormProps) => {
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
