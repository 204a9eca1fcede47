import {
  Button,
  Code,
  Group,
  List,
  Modal,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { Copy, ShownOnce } from '../../kit/copy.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import type { FieldProps } from '../../kit/form.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { ScopeChoice } from './scopes.tsx';
import type { ChosenScopes } from './scopes.tsx';

interface NewKeyDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: ShownKey) => void;
}

/** Creates a key. */
export const NewKeyDialog = ({ opened, onClose, onCreated }: NewKeyDialogProps) => {
  const t = useText();
  const { data: reference, error, refetch } = app.useQuery('reference.scopes', {});
  return (
    <Dialog title={t('Neuer API-Schlüssel', 'New API key')} opened={opened} onClose={onClose} size="xl">
      {reference && <NewKeyForm reference={reference} onClose={onClose} onCreated={onCreated} />}
      {!reference && !error && <Skeleton height={320} role="status" aria-label={t('Wird geladen', 'Loading')} />}
      {!reference && <ProblemAlert error={error} retry={() => void refetch()} />}
    </Dialog>
  );
};

interface NewKeyValues {
  name: string;
  scopes: ChosenScopes;
  /** One address or network per line. */
  allowed_ips: string;
  expires_at: ExpiryDraft;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type NewKeyFormProps = Omit<NewKeyDialogProps, 'opened'> & { reference: ScopeReference };

const NewKeyForm = ({ reference, onClose, onCreated }: NewKeyFormProps) => {
  const t = useText();
  const limits = app.useQuery('reference.limits', {}).data;
  const noScopes = t('Wählen Sie mindestens eine Berechtigung.', 'Choose at least one scope.');
  const form = useServerForm<NewKeyValues, { key_id: string; key: string }>({
    initial: {
      name: '',
      scopes: { template: reference.templates[0]?.template, scopes: reference.templates[0]?.scopes ?? [] },
      allowed_ips: '',
      expires_at: { after: 'never', date: '' },
    },
    check: ({ scopes: { scopes }, expires_at }) => ({
      scopes: scopes.length === 0 && noScopes,
      // Without a message: the field for the day is required, and says so itself.
      expires_at: expiryOf(expires_at) === undefined,
    }),
    send: ({ name, scopes: { template, scopes }, allowed_ips, expires_at }) =>
      app.mutate('keys.create', {
        name,
        ...(template === undefined ? { scopes: [...scopes] } : { template }),
        allowed_ips: linesOf(allowed_ips),
        expires_at: expiryOf(expires_at)?.toISOString() ?? null,
      }),
    onSent: ({ key_id, key }) => onCreated({ keyId: key_id, key }),
    errorsAt: ({ name, scopes, allowed_ips, expires_at }) => ({
      name: name && t('Dieser Name ist nicht erlaubt.', 'This name is not allowed.'),
      scopes: scopes && noScopes,
      allowed_ips: allowed_ips && (
        <>
          {t('Eine Zeile ist keine Adresse und kein Netz.', 'A line is neither an address nor a network.')}{' '}
          <span lang="en">{allowed_ips}</span>
        </>
      ),
      expires_at: expires_at && t('Dieser Tag ist schon vorbei.', 'That day is over.'),
    }),
  });
  return (
    <Form form={form} action={t('Schlüssel anlegen', 'Create key')} onCancel={onClose} gap="lg">
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
        {...form.getInputProps('name')}
      />
      <ScopeChoice reference={reference} {...form.field('scopes')} />
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
        {...form.getInputProps('allowed_ips')}
      />
      <ExpiryChoice {...form.field('expires_at')} />
    </Form>
  );
};

/** When a key expires: never, after a number of days, or at the end of a day. */
interface ExpiryDraft {
  after: 'never' | '30' | '90' | '365' | 'date';
  date: string;
}

const choices = ['never', '30', '90', '365', 'date'] as const satisfies readonly ExpiryDraft['after'][];

/** The end of a day in the reader's time zone. */
const endOf = (date: string): Date => new Date(`${date}T23:59:59.999`);

/** The exact time; null for never, undefined while no day is chosen. */
const expiryOf = ({ after, date }: ExpiryDraft): Date | null | undefined => {
  if (after === 'never') return null;
  if (after === 'date') return date === '' ? undefined : endOf(date);
  const moment = new Date();
  moment.setDate(moment.getDate() + Number(after));
  return moment;
};

const ExpiryChoice = ({ value, onChange, error }: FieldProps<ExpiryDraft>) => {
  const t = useText();
  const locale = useLocale();
  const words: Record<ExpiryDraft['after'], string> = {
    never: t('Nie', 'Never'),
    '30': t('Nach 30 Tagen', 'After 30 days'),
    '90': t('Nach 90 Tagen', 'After 90 days'),
    '365': t('Nach einem Jahr', 'After a year'),
    date: t('An einem bestimmten Tag', 'On a certain day'),
  };
  const moment = expiryOf(value);
  const lastDay = moment?.toLocaleDateString(locale, { dateStyle: 'long' });
  const hint =
    lastDay === undefined
      ? t('Er gilt, bis Sie ihn widerrufen oder ablösen.', 'It works until you revoke or replace it.')
      : t(`Er gilt bis zum ${lastDay}.`, `It works until ${lastDay}.`);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
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
        <TextInput
          type="date"
          label={t('Letzter Tag', 'Last day')}
          required
          min={new Date().toLocaleDateString('sv-SE')}
          value={value.date}
          onChange={(event) => onChange({ ...value, date: event.currentTarget.value })}
          error={error}
        />
      )}
    </SimpleGrid>
  );
};

interface RotateDialogProps {
  apiKey: Key;
  opened: boolean;
  onClose: () => void;
  onRotated: (key: ShownKey) => void;
}

/** Replaces a key by a new one. */
export const RotateDialog = ({ opened, ...props }: RotateDialogProps) => {
  const t = useText();
  return (
    <Dialog
      title={t(`„${props.apiKey.name}“ ablösen`, `Replace “${props.apiKey.name}”`)}
      opened={opened}
      onClose={props.onClose}
    >
      <RotateForm {...props} />
    </Dialog>
  );
};

const dayMs = 86_400_000;
const defaultGraceDays = 7;

/** What a grace period means for the old key, in words. */
const useGraceEffect = (apiKey: Key, grace: number | string): string => {
  const t = useText();
  const locale = useLocale();
  if (typeof grace === 'string') return '';
  if (grace === 0) {
    return t(
      'Der alte Schlüssel endet sofort: bis der neue eingetragen ist, bekommt Ihr Programm 401.',
      'The old key ends at once: until the new one is in place, your program gets 401.',
    );
  }
  const graceEnds = Date.now() + grace * dayMs;
  const ends = apiKey.expires_at === null ? graceEnds : Math.min(graceEnds, Date.parse(apiKey.expires_at));
  const time = new Date(ends).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return ends < graceEnds
    ? t(
        `Der alte Schlüssel gilt bis zu seinem eigenen Ablauf am ${time}. Bis dahin gelten beide.`,
        `The old key works until its own expiry on ${time}. Until then both work.`,
      )
    : t(
        `Der alte Schlüssel gilt noch bis ${time}. Bis dahin gelten beide.`,
        `The old key works until ${time}. Until then both work.`,
      );
};

const RotateForm = ({ apiKey, onClose, onRotated }: Omit<RotateDialogProps, 'opened'>) => {
  const t = useText();
  const maxDays = app.useQuery('reference.limits', {}).data?.key_grace_days;
  const form = useServerForm<{ grace_days: number | string }, { key_id: string; key: string }>({
    // A text while the field does not contain a number.
    initial: { grace_days: defaultGraceDays },
    check: ({ grace_days }) => ({ grace_days: typeof grace_days === 'string' }),
    send: ({ grace_days }) => app.mutate('keys.rotate', { key_id: apiKey.key_id, grace_days: Number(grace_days) }),
    onSent: ({ key_id, key }) => onRotated({ keyId: key_id, key }),
  });
  const effect = useGraceEffect(apiKey, form.values.grace_days);
  return (
    <Form form={form} action={t('Neuen Schlüssel anlegen', 'Create new key')} onCancel={onClose}>
      <List size="sm" spacing={4}>
        <List.Item>
          {t(
            'Der neue Schlüssel hat dieselben Berechtigungen, erlaubten Adressen und denselben Ablauftag.',
            'The new key has the same scopes, allowed addresses and expiry day.',
          )}
        </List.Item>
        <List.Item>
          {t(
            'Sie sehen ihn einmal und tragen ihn überall ein, wo der alte steht.',
            'You see it once. Use it wherever the old one is used.',
          )}
        </List.Item>
      </List>
      <NumberInput
        label={t('Wie viele Tage der alte noch gilt', 'Days that the old one still works')}
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
export interface ShownKey {
  keyId: string;
  key: string;
}

const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();

const KeyAndExample = ({ shown, onSaved }: { shown: ShownKey; onSaved: (shown: ShownKey) => void }) => {
  const t = useText();
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
  const line = `curl -H "Authorization: Bearer ${shown.key}" ${location.origin}/api/public/v1/me`;
  return (
    <ShownOnce value={shown.key} what={t('den Schlüssel', 'the key')}>
      <Stack gap={6}>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600}>
            {t('Gleich ausprobieren', 'Try it now')}
          </Text>
          <Copy value={line} what={t('Befehl', 'command')} />
        </Group>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {line}
        </Code>
        <Text size="xs" c="dimmed">
          {t(
            'Die Antwort nennt Ihr Team und was der Schlüssel darf. Der Schlüssel gehört auf einen Server, nie in eine Webseite oder App.',
            'The answer names your team and what the key may do. A key belongs on a server, never in a web page or an app.',
          )}
        </Text>
      </Stack>
      <Group justify="flex-end">
        <Button
          onClick={() => {
            isSaved.current = true;
            onSaved(shown);
          }}
        >
          {t('Ich habe ihn aufbewahrt', 'I have kept it')}
        </Button>
      </Group>
    </ShownOnce>
  );
};

interface NewKeyShownProps {
  title: string;
  shown: ShownKey | undefined;
  onSaved: (shown: ShownKey) => void;
}

/** Shows a new key. The dialog stays open until the person confirms that they have saved the key. */
export const NewKeyShown = ({ title, shown, onSaved }: NewKeyShownProps) => (
  <Modal
    opened={shown !== undefined}
    onClose={() => undefined}
    title={title}
    size="lg"
    withCloseButton={false}
    closeOnEscape={false}
    closeOnClickOutside={false}
  >
    {shown && <KeyAndExample shown={shown} onSaved={onSaved} />}
  </Modal>
);
