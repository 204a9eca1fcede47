import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { DialogButtons } from '../../kit/dialog.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Notice, ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { Invitee } from './invitation-list.ts';
import { useOutcomeWords } from './invitation-outcome.ts';
import { InvitationsLeft } from './invitations-left.tsx';

const roles = ['member', 'admin'] as const;
const languages = ['de', 'en'] as const;

/** Invites one person by email. */
export const InviteOne = ({ onDone }: { onDone: () => void }) => {
  const t = useText();
  const roleName = useRoleName();
  const words = useOutcomeWords();
  const invite = app.useChange('members.invite');
  const [person, setPerson] = useState<Invitee>({ email: '', role: 'member', lang: null });
  const [refused, setRefused] = useState<string>();
  const { data: settings } = app.useAnswer('team.settings', {});

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefused(undefined);
    invite.mutate(
      { people: [person] },
      {
        onSuccess: ({ results: [result] }) => {
          if (result && result.outcome !== 'invited') return setRefused(words(result).advice);
          tell(
            t(`Die Einladung an ${person.email} ist unterwegs.`, `The invitation to ${person.email} is on its way.`),
          );
          return onDone();
        },
      },
    );
  };
  const teamLanguage = settings?.language === 'en' ? t('Englisch', 'English') : t('Deutsch', 'German');
  return (
    <form onSubmit={submit}>
      <Stack>
        <InvitationsLeft wanted={1} />
        <TextInput
          label={t('E-Mail', 'Email')}
          type="email"
          autoComplete="off"
          required
          data-autofocus
          value={person.email}
          onChange={(event) => setPerson({ ...person, email: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('Rolle', 'Role')}
          description={t(
            'Admins verwalten das Team, Mitglieder üben.',
            'Admins administer the team, members practise.',
          )}
          value={person.role}
          onChange={({ currentTarget: { value } }) =>
            setPerson({ ...person, role: roles.find((role) => role === value) ?? 'member' })
          }
          data={roles.map((role) => ({ value: role, label: roleName(role) }))}
        />
        <NativeSelect
          label={t('Sprache der Einladung', 'Language of the invitation')}
          value={person.lang ?? ''}
          onChange={({ currentTarget: { value } }) =>
            setPerson({ ...person, lang: languages.find((lang) => lang === value) ?? null })
          }
          data={[
            {
              value: '',
              label: settings
                ? t(`Wie das Team (${teamLanguage})`, `As the team (${teamLanguage})`)
                : t('Wie das Team', 'As the team'),
            },
            { value: 'de', label: t('Deutsch', 'German') },
            { value: 'en', label: t('Englisch', 'English') },
          ]}
        />
        {refused !== undefined && (
          <Notice tone="bad" role="alert" title={t('Nicht eingeladen', 'Not invited')}>
            {refused}
          </Notice>
        )}
        <ProblemAlert error={invite.error} />
        <DialogButtons
          action={t('Einladung senden', 'Send the invitation')}
          running={invite.isPending}
          onCancel={onDone}
        />
      </Stack>
    </form>
  );
};
