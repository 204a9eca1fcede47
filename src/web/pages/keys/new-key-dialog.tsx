import { Skeleton, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { ExpiryChoice, momentOf } from './expiry-choice.tsx';
import type { Ending } from './expiry-choice.tsx';
import type { Shown } from './kept-key-dialog.tsx';
import { ScopeChoice } from './scope-choice.tsx';
import type { Allowance } from './scope-choice.tsx';

interface NewKeyDialogProps {
  opened: boolean;
  onClose: () => void;
  onMade: (key: Shown) => void;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type FormProps = Omit<NewKeyDialogProps, 'opened'> & { reference: ScopeReference };

const NewKeyForm = ({ reference, onClose, onMade }: FormProps) => {
  const t = useText();
  const limits = app.useAnswer('reference.limits', {}).data;
  const create = app.useChange('keys.create');
  const [name, setName] = useState('');
  const [allowance, setAllowance] = useState<Allowance>({
    template: reference.templates[0]?.template,
    scopes: reference.templates[0]?.scopes ?? [],
  });
  const [addresses, setAddresses] = useState('');
  const [ending, setEnding] = useState<Ending>({ after: 'never', date: '' });
  const [lacksScopes, setLacksScopes] = useState(false);
  const flaws = flawsByField(problemOf(create.error));
  const isTold = ['name', 'scopes', 'allowed_ips', 'expires_at'].some((field) => flaws[field] !== undefined);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { template, scopes } = allowance;
    setLacksScopes(scopes.length === 0);
    const expiresAt = momentOf(ending);
    if (scopes.length === 0 || expiresAt === undefined) return;
    create.mutate(
      {
        name,
        ...(template === undefined ? { scopes: [...scopes] } : { template }),
        allowed_ips: linesOf(addresses),
        expires_at: expiresAt?.toISOString() ?? null,
      },
      { onSuccess: ({ key_id, key }) => onMade({ keyId: key_id, key }) },
    );
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <TextInput
          label={t('Name', 'Name')}
          description={t(
            'Woran Sie ihn wiedererkennen, zum Beispiel das Programm, das ihn benutzt.',
            'A name that you will recognize, for instance the program that uses the key.',
          )}
          placeholder={t('CRM-Abgleich', 'CRM sync')}
          required
          data-autofocus
          maxLength={limits?.key_name_characters}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={flaws['name'] && t('Dieser Name geht nicht.', 'This name won’t do.')}
        />
        <ScopeChoice
          reference={reference}
          value={allowance}
          onChange={setAllowance}
          error={
            (lacksScopes && allowance.scopes.length === 0) || flaws['scopes'] !== undefined
              ? t('Wählen Sie mindestens eine Berechtigung.', 'Choose at least one scope.')
              : undefined
          }
        />
        <Textarea
          label={t('Erlaubte IP-Adressen', 'Allowed IP addresses')}
          description={t(
            'Eine Adresse oder ein Netz je Zeile. Von anderen Adressen wird der Schlüssel abgelehnt (401). Leer: alle Adressen.',
            'One address or network per line. From other addresses the key is refused (401). Empty: all addresses.',
          )}
          placeholder={'203.0.113.7\n2001:db8:12::/48'}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={addresses}
          onChange={(event) => setAddresses(event.currentTarget.value)}
          error={
            flaws['allowed_ips'] && (
              <>
                {t('Eine Zeile ist keine Adresse und kein Netz.', 'A line is neither an address nor a network.')}{' '}
                <span lang="en">{flaws['allowed_ips']}</span>
              </>
            )
          }
        />
        <ExpiryChoice
          value={ending}
          onChange={setEnding}
          error={flaws['expires_at'] && t('Dieser Tag ist schon vorbei.', 'That day is over.')}
        />
        {!isTold && <ProblemAlert error={create.error} />}
        <DialogButtons action={t('Schlüssel anlegen', 'Make the key')} running={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
};

/** What a new key is called and may do, from where and how long. */
export const NewKeyDialog = ({ opened, onClose, onMade }: NewKeyDialogProps) => {
  const t = useText();
  const { data: reference, error, refetch } = app.useAnswer('reference.scopes', {});
  return (
    <Dialog title={t('Neuer API-Schlüssel', 'New API key')} opened={opened} onClose={onClose} size="xl">
      {reference && <NewKeyForm reference={reference} onClose={onClose} onMade={onMade} />}
      {!reference && !error && <Skeleton height={320} role="status" aria-label={t('Wird geladen', 'Loading')} />}
      {!reference && <ProblemAlert error={error} retry={() => void refetch()} />}
    </Dialog>
  );
};
