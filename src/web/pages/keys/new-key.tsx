import {
  Button,
  Code,
  Group,
  List,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useBlocker, useNavigate } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { Hint } from '../../kit/text/text.tsx';
import { Copy, ShownOnce } from '../../kit/text/copy.tsx';
import { DateField } from '../../kit/form/date-field.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { DialogButtons } from '../../kit/dialog/dialog-buttons.tsx';
import { Form, useServerForm, type FieldProps } from '../../kit/form/form.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { proposedGraceDays, expiryOf, expiryText, graceText, neverExpires, type ExpiryDraft } from './expiry.ts';
import { linesOf, noScopes } from './key-state.ts';
import type { ChosenScopes } from './scope-templates.ts';
import { ScopeChoice } from './scopes.tsx';

interface NewKeyDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: ShownKey) => void;
}

export const NewKeyDialog = ({ opened, onClose, onCreated }: NewKeyDialogProps) => {
  const query = useQuery(app.reference.scopes.queryOptions({}));
  return (
    <Dialog title={t('Neuer API-Schlüssel', 'New API key')} opened={opened} onClose={onClose} size="xl">
      {query.data ? (
        <NewKeyForm reference={query.data} onClose={onClose} onCreated={onCreated} />
      ) : (
        <Pending query={query} height={320} />
      )}
    </Dialog>
  );
};

const newKey: NewKeyValues = {
  name: '',
  scopes: noScopes,
  allowed_ips: '',
  expires_at: neverExpires,
};

interface NewKeyValues {
  name: string;
  scopes: ChosenScopes;
  /** One address or network per line. */
  allowed_ips: string;
  expires_at: ExpiryDraft;
}

type NewKeyFormProps = Omit<NewKeyDialogProps, 'opened'> & { reference: ScopeReference };

const NewKeyForm = ({ reference, onClose, onCreated }: NewKeyFormProps) => {
  const limits = useQuery(app.reference.limits.queryOptions({})).data;
  const missingScopes = t('Wählen Sie mindestens eine Berechtigung aus.', 'Select at least one scope.');
  const form = useServerForm<NewKeyValues, ShownKey>({
    initial: newKey,
    draft: { name: 'key', fields: ['name', 'scopes', 'allowed_ips', 'expires_at'] },
    check: ({ scopes: { scopes }, expires_at }) => ({
      scopes: scopes.length === 0 && missingScopes,
      expires_at: expiryOf(expires_at) === undefined && t('Bitte wählen Sie einen Tag.', 'Please select a day.'),
    }),
    send: ({ name, scopes: { template, scopes }, allowed_ips, expires_at }) =>
      client.app.keys.create.mutate({
        name,
        ...(template === undefined ? { scopes: [...scopes] } : { template }),
        allowed_ips: linesOf(allowed_ips),
        expires_at: expiryOf(expires_at)?.toISOString() ?? null,
      }),
    onSent: onCreated,
  });
  return (
    <Form form={form} action={t('Schlüssel anlegen', 'Create key')} onCancel={onClose} gap="lg">
      <TextInput
        label={t('Name', 'Name')}
        description={t(
          'Zum Beispiel der Name der Anwendung, die ihn verwendet.',
          'For example, the name of the application that uses it.',
        )}
        placeholder={t('CRM-Abgleich', 'CRM sync')}
        required
        data-autofocus
        maxLength={limits?.key_name_characters}
        {...form.getInputProps('name')}
      />
      <ScopeChoice reference={reference} {...form.field('scopes')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ExpiryChoice {...form.field('expires_at')} />
        <Textarea
          label={t('Erlaubte IP-Adressen', 'Allowed IP addresses')}
          description={t(
            'Eine Adresse oder ein Netz pro Zeile. Leer: alle erlaubt. Andere erhalten 401.',
            'One address or network per line. Empty: all allowed. Others get 401.',
          )}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="203.0.113.7"
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('allowed_ips')}
        />
      </SimpleGrid>
    </Form>
  );
};

const choices = ['never', '30', '90', '365', 'date'] as const satisfies readonly ExpiryDraft['after'][];

const ExpiryChoice = ({ value, onChange, error }: FieldProps<ExpiryDraft>) => {
  const words: Record<ExpiryDraft['after'], string> = {
    never: t('Nie', 'Never'),
    '30': t('Nach 30 Tagen', 'After 30 days'),
    '90': t('Nach 90 Tagen', 'After 90 days'),
    '365': t('Nach einem Jahr', 'After a year'),
    date: t('Benutzerdefiniert', 'Custom date'),
  };
  const hint = expiryText(value);
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('Läuft ab', 'Expires')}
        value={value.after}
        onChange={(event) =>
          onChange({ ...value, after: choices.find((choice) => choice === event.currentTarget.value) ?? 'never' })
        }
        data={choices.map((choice) => ({ value: choice, label: words[choice] }))}
        {...(value.after === 'date'
          ? {}
          : { description: hint, error, inputWrapperOrder: ['label', 'input', 'description', 'error'] })}
      />
      {value.after === 'date' && (
        <DateField
          label={t('Ablaufdatum', 'Expiry date')}
          required
          min={new Date().toLocaleDateString('sv-SE')}
          value={value.date}
          onChange={(date) => onChange({ ...value, date })}
          error={error}
        />
      )}
    </Stack>
  );
};

interface RotateFormProps {
  apiKey: Key;
  onClose: () => void;
  onRotated: (key: ShownKey) => void;
}

export const RotateForm = ({ apiKey, onClose, onRotated }: RotateFormProps) => {
  const maxDays = useQuery(app.reference.limits.queryOptions({})).data?.key_grace_days;
  const form = useServerForm<{ grace_days: number | string }, ShownKey>({
    // The field's value is a text while it does not contain a number.
    initial: { grace_days: proposedGraceDays(apiKey) },
    check: ({ grace_days }) => ({ grace_days: typeof grace_days === 'string' }),
    send: ({ grace_days }) => client.app.keys.rotate.mutate({ key_id: apiKey.key_id, grace_days: Number(grace_days) }),
    onSent: onRotated,
  });
  const effect = graceText(apiKey, form.values.grace_days);
  return (
    <Form form={form} action={t('Neuen Schlüssel anlegen', 'Create new key')} onCancel={onClose}>
      <List size="sm" spacing={4}>
        <List.Item>
          {t(
            'Der neue Schlüssel übernimmt Berechtigungen, erlaubte IP-Adressen und Ablaufdatum.',
            'The new key has the same scopes, allowed IP addresses and expiry date.',
          )}
        </List.Item>
        <List.Item>
          {t(
            'Er wird nur einmal angezeigt. Stellen Sie danach Ihre Anwendungen auf den neuen Schlüssel um.',
            'It is shown only once. Then switch your applications to the new key.',
          )}
        </List.Item>
      </List>
      <NumberInput
        label={t('Übergangsfrist für den alten Schlüssel (Tage)', 'Grace period for the old key (days)')}
        description={maxDays !== undefined && t(`0 bis ${maxDays} Tage`, `0 to ${maxDays} days`)}
        min={0}
        {...(maxDays !== undefined && { max: maxDays })}
        clampBehavior="strict"
        allowDecimal={false}
        required
        data-autofocus
        {...form.getInputProps('grace_days')}
      />
      <Text size="sm" role="status">
        {effect}
      </Text>
    </Form>
  );
};

/** A new key, which is shown only once. */
export type ShownKey = Pick<AppOutputs['keys']['create'], 'key_id' | 'key'>;

const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();

/** A request with which the reader can try a key. */
interface TrialRequest {
  path: string;
  /** Describes the answer that the request will get. */
  about: string;
}

interface KeyAndExampleProps {
  shown: ShownKey;
  onClose: () => void;
  /**
   * The request in the example, in place of `GET /me`. With it, the dialog does not lead to the key's page at the end.
   */
  trial?: TrialRequest;
}

const KeyAndExample = ({ shown, onClose, trial }: KeyAndExampleProps) => {
  const navigate = useNavigate();
  const isSaved = useRef(false);
  // The key would be lost if the person went back or reloaded the page.
  const blocker = useBlocker(() => !isSaved.current);
  useEffect(() => {
    if (blocker.state === 'blocked') blocker.reset();
  }, [blocker]);
  useEffect(() => {
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, []);
  const line = `curl -H "Authorization: Bearer ${shown.key}" ${location.origin}${trial?.path ?? '/api/public/v1/me'}`;
  return (
    <ShownOnce value={shown.key} what={t('den Schlüssel', 'the key')}>
      <Stack gap={6}>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600}>
            {t('Schlüssel testen', 'Test the key')}
          </Text>
          <Copy value={line} what={t('Befehl', 'command')} />
        </Group>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {line}
        </Code>
        <Hint size="xs">
          {trial?.about ??
            t(
              'Die Antwort zeigt Ihr Team und die Berechtigungen des Schlüssels. Verwenden Sie den Schlüssel nur auf Servern, nie in Webseiten oder Apps.',
              'The response shows your team and the key’s scopes. Use the key on servers only, never in web pages or apps.',
            )}
        </Hint>
      </Stack>
      <DialogButtons>
        <Button
          variant="filled"
          onClick={() => {
            isSaved.current = true;
            onClose();
            if (!trial) void navigate(`/keys/${shown.key_id}`);
          }}
        >
          {t('Ich habe den Schlüssel gespeichert', 'I have saved the key')}
        </Button>
      </DialogButtons>
    </ShownOnce>
  );
};

interface NewKeyShownProps extends Omit<KeyAndExampleProps, 'shown'> {
  title: string;
  shown: ShownKey | undefined;
}

/**
 * Shows a new key. The dialog stays open until the person confirms that they have saved the key. Then it opens the
 * key's page, unless it has a `trial`.
 */
export const NewKeyShown = ({ title, shown, onClose, ...more }: NewKeyShownProps) => (
  <Dialog opened={shown !== undefined} onClose={onClose} title={title} size="lg" locked>
    {shown && <KeyAndExample shown={shown} onClose={onClose} {...more} />}
  </Dialog>
);
