import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { NewPasswordInput, useNameFlaw, usePasswordRule } from '../../kit/account-fields.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { entrance } from '../../server/server.ts';

interface AcceptanceProps {
  token: string;
  /** They are in this team now. */
  onDone: (tenantId: string) => void;
}

// What is on show is not asked for anew here: the invitation would say that it is used.
const useAcceptance = ({ onDone }: Pick<AcceptanceProps, 'onDone'>) =>
  useMutation({
    mutationFn: (acceptance: { token: string; name?: string; password?: string }) =>
      entrance.do('entrance.acceptInvitation', acceptance),
    onSuccess: ({ tenant_id }) => onDone(tenant_id),
  });

export const AcceptAsKnown = ({ token, onDone }: AcceptanceProps) => {
  const t = useText();
  const accept = useAcceptance({ onDone });
  return (
    <>
      <Text size="sm">{t('Sie sind mit dieser Adresse angemeldet.', 'You are signed in with this address.')}</Text>
      <ProblemAlert error={accept.error} />
      <Button size="md" loading={accept.isPending || accept.isSuccess} onClick={() => accept.mutate({ token })}>
        {t('Einladung annehmen', 'Accept the invitation')}
      </Button>
    </>
  );
};

export const AcceptAsNew = ({ token, email, onDone }: AcceptanceProps & { email: string }) => {
  const t = useText();
  const accept = useAcceptance({ onDone });
  const nameFlaw = useNameFlaw()(accept.error);
  const { fits } = usePasswordRule();
  const { data: rules } = entrance.useAnswer('entrance.rules', {});
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() !== '' && fits(password)) accept.mutate({ token, name: name.trim(), password });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('Ihr Name', 'Your name')}
          description={t('So sehen andere im Team Sie.', 'How others in the team see you.')}
          name="name"
          autoComplete="name"
          required
          {...(rules && { maxLength: rules.name_characters })}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={tried && name.trim() === '' ? t('Bitte nennen Sie Ihren Namen.', 'Please give your name.') : nameFlaw}
        />
        {/* For password managers: whose password it is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordInput label={t('Passwort', 'Password')} value={password} onChange={setPassword} tried={tried} />
        {nameFlaw === undefined && <ProblemAlert error={accept.error} />}
        <Button type="submit" size="md" loading={accept.isPending || accept.isSuccess}>
          {t('Einladung annehmen', 'Accept the invitation')}
        </Button>
      </Stack>
    </form>
  );
};
