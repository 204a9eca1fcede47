import { Input, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { MemberChoice } from '../../kit/names/members.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { api, app, client } from '../../server/server.ts';
import { draftOfOne } from '../../session/draft-keys.ts';
import { draftOf, FieldsEditor, readDraft } from './fields-editor.tsx';
import { FieldsAsFacts } from './readable.tsx';

interface DialogProps {
  /** The shelf of the cases: the team's cases, or the private cases of the signed-in person. */
  shelf: 'team' | 'own';
  onClose: () => void;
}

export const NewCaseDialog = ({ shelf, opened, onClose }: DialogProps & { opened: boolean }) => (
  <Dialog
    title={shelf === 'team' ? t('Neuer Team-Fall', 'New team case') : t('Neuer Fall', 'New case')}
    opened={opened}
    onClose={onClose}
    size="lg"
  >
    <CaseForm
      former={undefined}
      choosesOwner={shelf === 'team'}
      draft="new case"
      send={(values, user_id) =>
        shelf === 'team'
          ? client.api.cases.create.mutate({ user_id, ...values })
          : client.app.ownCases.create.mutate(values)
      }
      confirmation={t('Fall angelegt.', 'Case created.')}
      onClose={onClose}
    />
  </Dialog>
);

interface OpenCaseDialogProps extends DialogProps {
  /** The id of the case; empty while the dialog is closed. */
  id: string;
  /** The case's row in the list, if it is loaded there. */
  row: Case | undefined;
}

export const OpenCaseDialog = ({ id, row, shelf, onClose }: OpenCaseDialogProps) => {
  const isLoaded = id !== '' && !row;
  const ofTeam = useQuery(api.cases.get.queryOptions({ case_id: id }, { enabled: isLoaded && shelf === 'team' }));
  const ofOneself = useQuery(app.ownCases.get.queryOptions({ case_id: id }, { enabled: isLoaded && shelf === 'own' }));
  const query = shelf === 'team' ? ofTeam : ofOneself;
  const former = row ?? query.data;
  const content: ReactNode = former ? (
    <CaseForm
      key={id}
      former={former}
      choosesOwner={false}
      draft={draftOfOne('case', id)}
      send={(values) =>
        shelf === 'team'
          ? client.api.cases.change.mutate({ case_id: id, ...values })
          : client.app.ownCases.change.mutate({ case_id: id, ...values })
      }
      confirmation={t('Fall gespeichert.', 'Case saved.')}
      onClose={onClose}
    />
  ) : (
    <Pending query={query} height={260} />
  );
  return (
    <Dialog title={former?.title ?? t('Fall', 'Case')} opened={id !== ''} onClose={onClose} size="lg">
      {content}
    </Dialog>
  );
};

/** The values for the server. Fields that were not edited are left out. */
interface CaseInput {
  title: string | null;
  persona_id: string | null;
  /** The free-form fields as JSON text, in which numbers keep every digit. */
  fields?: string | null;
}

interface CaseFormProps {
  /** The stored case; undefined for a new case. */
  former: Case | undefined;
  /** Whether the form asks for the shelf of the case. */
  choosesOwner: boolean;
  /** The name of the form's draft. */
  draft: string;
  send: (values: CaseInput, owner: string) => Promise<unknown>;
  confirmation: string;
  onClose: () => void;
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const CaseForm = ({ former, choosesOwner, draft, send, confirmation, onClose }: CaseFormProps) => {
  const [initialFields] = useState(() => draftOf(former?.fields ?? null));
  const form = useServerForm({
    initial: {
      title: former?.title ?? '',
      persona_id: former?.persona_id ?? '',
      user_id: '',
      fields: initialFields,
    },
    draft: { name: draft, fields: ['title', 'persona_id', 'user_id', 'fields'] },
    check: ({ fields, user_id }) => ({
      // This error has no message, because the fields' editor shows its own.
      fields: fields !== initialFields && readDraft(fields) === undefined,
      user_id: choosesOwner && user_id === '' && t('Bitte wählen Sie ein Mitglied.', 'Please select a member.'),
    }),
    send: ({ title, persona_id, user_id, fields }) => {
      const value = fields === initialFields ? undefined : readDraft(fields);
      return send(
        {
          title: textOrNull(title),
          persona_id: textOrNull(persona_id),
          ...(value !== undefined && { fields: value === null ? null : JSON.stringify(value) }),
        },
        user_id,
      );
    },
    done: confirmation,
    onSent: onClose,
  });
  return (
    <Form form={form} action={former ? t('Speichern', 'Save') : t('Fall anlegen', 'Create case')} onCancel={onClose}>
      <TextInput label={t('Titel', 'Title')} data-autofocus {...form.getInputProps('title')} />
      {choosesOwner && (
        <MemberChoice
          label={t('Mitglied', 'Member')}
          placeholder={t('Mitglied auswählen', 'Select a member')}
          by="user_id"
          status="active"
          required
          value={form.values.user_id}
          onChange={(id) => form.setFieldValue('user_id', id ?? '')}
          error={form.errors['user_id']}
        />
      )}
      <TextInput
        label={t('Persona', 'Persona')}
        description={t(
          'ID aus Ihrem eigenen System, nicht aus dem Katalog.',
          'An ID from your own system, not from the catalog.',
        )}
        {...form.getInputProps('persona_id')}
      />
      <FieldsEditor {...form.field('fields')} />
      {former?.external_ref && (
        <div>
          <Input.Label component="div">{t('Externe Referenz', 'External reference')}</Input.Label>
          <FieldsAsFacts fields={former.external_ref} />
        </div>
      )}
    </Form>
  );
};
