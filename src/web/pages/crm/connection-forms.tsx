import { Fieldset, NativeSelect, PasswordInput, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ProviderName } from '../../../modules/crm/providers/provider.ts';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import type { FieldProps } from '../../kit/form.tsx';
import { useDuration } from '../../kit/formats.tsx';
import { notify } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { Reason, useLanguageName } from './connection-words.tsx';

interface ConnectionDialogProps {
  connection: Connection;
  opened: boolean;
  onClose: () => void;
}

/** Changes the name, the interval and the source of objections. */
export const ChangeDialog = ({ opened, ...props }: ConnectionDialogProps) => {
  const t = useText();
  return (
    <Dialog title={t('Verbindung bearbeiten', 'Edit connection')} opened={opened} onClose={props.onClose} size="lg">
      <ChangeForm {...props} />
    </Dialog>
  );
};

interface ChangeValues {
  label: string;
  interval_seconds: number | undefined;
  settings: ObjectionDraft;
}

const ChangeForm = ({ connection, onClose }: Omit<ConnectionDialogProps, 'opened'>) => {
  const t = useText();
  const { connection_id, provider, interval_seconds } = connection;
  const form = useServerForm<ChangeValues, unknown>({
    initial: { label: connection.label ?? '', interval_seconds, settings: draftOf(connection.settings) },
    send: ({ label, settings, ...values }) =>
      app.mutate('crm.change', {
        connection_id,
        label: label.trim() === '' ? null : label.trim(),
        // An interval from before the limits may be outside of them. It stays unless it is changed.
        ...(values.interval_seconds !== undefined &&
          values.interval_seconds !== interval_seconds && { interval_seconds: values.interval_seconds }),
        ...(provider !== 'feed' && { settings: settingsOf(settings) }),
      }),
    onSent: () => {
      notify(t('Die Verbindung ist geändert.', 'The connection is changed.'));
      onClose();
    },
    errorsAt: (errors) => reasonsAt(['label', 'interval_seconds', 'settings'], errors),
  });
  return (
    <Form form={form} action={t('Speichern', 'Save')} onCancel={onClose} gap="lg">
      <LabelField {...form.field('label')} />
      <IntervalField {...form.field('interval_seconds')} />
      {provider !== 'feed' && <ObjectionFields {...form.field('settings')} />}
    </Form>
  );
};

/** Replaces the token. The new one is tested first. */
export const RenewDialog = ({ opened, ...props }: ConnectionDialogProps) => {
  const t = useText();
  return (
    <Dialog
      title={props.connection.has_token ? t('Token erneuern', 'Renew token') : t('Token eingeben', 'Enter token')}
      opened={opened}
      onClose={props.onClose}
    >
      <RenewForm {...props} />
    </Dialog>
  );
};

const RenewForm = ({
  connection: { connection_id, provider, status },
  onClose,
}: Omit<ConnectionDialogProps, 'opened'>) => {
  const t = useText();
  const form = useServerForm({
    initial: { token: '' },
    send: ({ token }) => app.mutate('crm.renewToken', { connection_id, token: token.trim() }),
    onSent: () => {
      notify(
        status === 'paused'
          ? t(
              'Das Token ist gespeichert. Die Verbindung bleibt pausiert.',
              'The token is saved. The connection stays paused.',
            )
          : t('Das Token ist gespeichert. Ein Abgleich startet.', 'The token is saved. A sync is starting.'),
      );
      onClose();
    },
    errorsAt: ({ token, url }) => reasonsAt(['token'], { token: token ?? url }),
    resetsOnChange: true,
  });
  return (
    <Form form={form} action={t('Testen und speichern', 'Test and save')} onCancel={onClose} gap="lg">
      <TokenField provider={provider} {...form.field('token')} />
    </Form>
  );
};

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;

/** The offered intervals, besides the shortest, the default and the longest. */
const usualIntervals = [10 * minuteSeconds, 30 * minuteSeconds, hourSeconds, 4 * hourSeconds, 12 * hourSeconds];

/** The limits of a connection; undefined while they load. */
export const useCrmLimits = () => app.useQuery('reference.limits', {}).data?.crm;

/** The server's errors at some fields, in the reader's language where there is a translation. */
export const reasonsAt = (fields: readonly string[], errors: Record<string, string | undefined>) =>
  Object.fromEntries(
    fields.map((field) => [field, errors[field] === undefined ? undefined : <Reason reason={errors[field]} />]),
  );

export const LabelField = ({ value, onChange, error }: FieldProps<string>) => {
  const t = useText();
  const limits = useCrmLimits();
  return (
    <TextInput
      label={t('Name', 'Name')}
      description={t('Optional. Nur Ihr Team sieht ihn.', 'Optional. Only your team sees it.')}
      placeholder={t('Vertrieb DACH', 'Sales EMEA')}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      {...(limits && { maxLength: limits.label_characters })}
    />
  );
};

interface TokenFieldProps extends FieldProps<string> {
  provider: string;
}

/** The access token, with a hint where to find it in the CRM. */
export const TokenField = ({ provider, value, onChange, error }: TokenFieldProps) => {
  const t = useText();
  const limits = useCrmLimits();
  const where: Record<ProviderName, [string, string]> = {
    feed: [
      t('Zugriffstoken', 'Access token'),
      t(
        'Wir senden es bei jedem Abruf als „Authorization: Bearer …“ mit.',
        'We send it with every request as “Authorization: Bearer …”.',
      ),
    ],
    hubspot: [
      t('Zugriffstoken', 'Access token'),
      t(
        'Das Token einer privaten App oder ein Service Key aus Ihren HubSpot-Einstellungen. Scopes: crm.objects.deals.read und crm.objects.owners.read; für Notizen auch crm.objects.contacts.read.',
        'The token of a private app, or a service key, from your HubSpot settings. Scopes: crm.objects.deals.read and crm.objects.owners.read; for notes also crm.objects.contacts.read.',
      ),
    ],
    pipedrive: [
      t('API-Token', 'API token'),
      t(
        'In Pipedrive unter Persönliche Einstellungen, API. Übernommen werden die Deals, die dieser Benutzer sieht.',
        'In Pipedrive under Personal preferences, API. The deals that this user can see are copied.',
      ),
    ],
  };
  const [label, description] = provider === 'hubspot' || provider === 'pipedrive' ? where[provider] : where.feed;
  return (
    <PasswordInput
      label={label}
      description={`${description} ${t('Es wird verschlüsselt gespeichert und nie wieder angezeigt.', 'It is stored encrypted and never shown again.')}`}
      required
      autoComplete="off"
      spellCheck={false}
      visibilityToggleButtonProps={{ 'aria-label': t('Token anzeigen oder verbergen', 'Show or hide the token') }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      // Mantine sets this on its other inputs, but not on this one.
      aria-invalid={Boolean(error)}
      {...(limits && { maxLength: limits.token_characters })}
    />
  );
};

/** How often a connection is synced. `value` is in seconds, undefined for the default. */
export const IntervalField = ({ value, onChange, error }: FieldProps<number | undefined>) => {
  const t = useText();
  const duration = useDuration();
  const limits = useCrmLimits()?.interval_seconds;
  const chosen = value ?? limits?.default;
  // The command line also sets intervals that are not offered here.
  const offered = new Set([
    ...(limits ? [limits.least, limits.default, limits.most, ...usualIntervals] : []),
    ...(chosen === undefined ? [] : [chosen]),
  ]);
  return (
    <NativeSelect
      label={t('Abgleich alle', 'Sync every')}
      description={t('Manuell ist jederzeit ein Abgleich möglich.', 'You can also sync manually at any time.')}
      disabled={!limits}
      value={String(chosen ?? '')}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
      data={[...offered]
        .toSorted((one, other) => one - other)
        .map((seconds) => ({ value: String(seconds), label: duration(seconds) }))}
      error={error}
    />
  );
};

const sources = ['lost reason', 'property', 'notes'] as const;
type Source = (typeof sources)[number];

/** The source of objections as the form edits it. */
export interface ObjectionDraft {
  source: Source;
  /** The property's name or the prefix of notes. */
  text: string;
  category: string;
  lang: string;
}

const draftOf = (settings: Connection['settings']): ObjectionDraft => {
  const { objection_property: property, note_prefix: prefix, objection_category, objection_lang } = settings;
  const rest = { category: objection_category, lang: objection_lang };
  if (property !== null) return { source: 'property', text: property, ...rest };
  return prefix === null ? { source: 'lost reason', text: '', ...rest } : { source: 'notes', text: prefix, ...rest };
};

export const settingsOf = ({ source, text, category, lang }: ObjectionDraft): Connection['settings'] => ({
  objection_property: source === 'property' ? text.trim() : null,
  note_prefix: source === 'notes' ? text.trim() : null,
  objection_category: category.trim(),
  objection_lang: lang,
});

const languages = ['de', 'en', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'cs', 'da', 'sv', 'tr'] as const;

/** Where a CRM's objections come from, apart from the lost reason, and their category and language. */
export const ObjectionFields = ({ value, onChange, error }: FieldProps<ObjectionDraft>) => {
  const t = useText();
  const languageName = useLanguageName();
  const words: Record<Source, [string, string]> = {
    'lost reason': [t('Nur aus dem Verlustgrund', 'From the lost reason only'), ''],
    property: [
      t('Auch aus einer Deal-Eigenschaft', 'Also from a deal property'),
      t('Interner Name der Eigenschaft', 'Internal name of the property'),
    ],
    notes: [
      t('Auch aus Notizen mit einem Präfix', 'Also from notes with a prefix'),
      t('Präfix der Notizen', 'Prefix of the notes'),
    ],
  };
  const known: readonly string[] = languages;
  const offered = known.includes(value.lang) ? known : [value.lang, ...known];
  return (
    <Fieldset legend={t('Einwände', 'Objections')} radius="md">
      <Stack gap="md">
        <Radio.Group
          label={t('Woher Einwände kommen', 'Where objections come from')}
          value={value.source}
          onChange={(chosen) =>
            onChange({ ...value, source: sources.find((source) => source === chosen) ?? 'lost reason' })
          }
        >
          <Stack gap="xs" mt="xs">
            {sources.map((source) => (
              <Radio key={source} value={source} label={words[source][0]} />
            ))}
          </Stack>
        </Radio.Group>
        {value.source !== 'lost reason' && (
          <TextInput
            label={words[value.source][1]}
            description={
              value.source === 'property'
                ? t('Ihr Text wird je Deal als Einwand übernommen.', 'Its text becomes an objection of the deal.')
                : t(
                    'Was in einer Notiz nach diesem Präfix steht, wird als Einwand übernommen.',
                    'What follows this prefix in a note becomes an objection.',
                  )
            }
            placeholder={value.source === 'property' ? 'objection' : t('Einwand:', 'Objection:')}
            required
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            value={value.text}
            onChange={(event) => onChange({ ...value, text: event.currentTarget.value })}
            error={error}
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t('Kategorie der Einwände', 'Category of the objections')}
            required
            maxLength={100}
            value={value.category}
            onChange={(event) => onChange({ ...value, category: event.currentTarget.value })}
          />
          <NativeSelect
            label={t('Sprache der Einwände', 'Language of the objections')}
            value={value.lang}
            onChange={(event) => onChange({ ...value, lang: event.currentTarget.value })}
            data={offered.map((tag) => ({ value: tag, label: languageName(tag) }))}
          />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
};
