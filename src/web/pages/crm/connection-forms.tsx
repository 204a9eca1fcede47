import { Fieldset, NativeSelect, PasswordInput, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ProviderName } from '../../../modules/crm/providers/provider.ts';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Form, useServerForm, type FieldProps } from '../../kit/form/form.tsx';
import { durationInWords } from '../../kit/text/figures.ts';
import { notify } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { renewedText } from './connection-state.ts';
import { languageName } from './connection-words.tsx';
import { offeredIntervals } from './intervals.ts';
import { draftOf, settingsOf, sources, type ObjectionDraft, type ObjectionSource } from './objection-settings.ts';

interface ConnectionFormProps {
  connection: Connection;
  onClose: () => void;
}

/** The name of the draft of changes. Each connection has its own draft, because drafts are stored by page. */
export const changeDraft = 'change';

interface ChangeValues {
  label: string;
  interval_seconds: number | undefined;
  settings: ObjectionDraft;
}

/** Changes the name, the interval and the source of objections. */
export const ChangeForm = ({ connection, onClose }: ConnectionFormProps) => {
  const { connection_id, provider, interval_seconds } = connection;
  const form = useServerForm<ChangeValues, unknown>({
    draft: { name: changeDraft, fields: ['label', 'interval_seconds', 'settings'] },
    initial: { label: connection.label ?? '', interval_seconds, settings: draftOf(connection.settings) },
    send: ({ label, settings, ...values }) =>
      client.app.crm.change.mutate({
        connection_id,
        label: label.trim() === '' ? null : label.trim(),
        ...(values.interval_seconds !== undefined && { interval_seconds: values.interval_seconds }),
        ...(provider !== 'feed' && { settings: settingsOf(settings) }),
      }),
    done: t('Verbindung gespeichert.', 'Connection saved.'),
    onSent: onClose,
  });
  return (
    <Form form={form} action={t('Speichern', 'Save')} onCancel={onClose} gap="lg">
      <LabelField first {...form.field('label')} />
      <IntervalField {...form.field('interval_seconds')} />
      {provider !== 'feed' && <ObjectionFields {...form.field('settings')} />}
    </Form>
  );
};

/** Replaces the token. The new token is tested first. */
export const RenewForm = ({ connection: { connection_id, provider, status }, onClose }: ConnectionFormProps) => {
  const form = useServerForm({
    initial: { token: '' },
    send: ({ token }) => client.app.crm.renewToken.mutate({ connection_id, token: token.trim() }),
    onSent: () => {
      notify(renewedText(status));
      onClose();
    },
    errorsAt: ({ token, url }) => ({ token: token ?? url }),
    resetsOnChange: true,
  });
  return (
    <Form form={form} action={t('Testen und speichern', 'Test and save')} onCancel={onClose} gap="lg">
      <TokenField first provider={provider} {...form.field('token')} />
    </Form>
  );
};

/** The limits of a connection; undefined while they load. */
export const useCrmLimits = () => useQuery(app.reference.limits.queryOptions({})).data?.crm;

interface TextFieldProps extends FieldProps<string> {
  /** Whether the form begins with this field. */
  first?: boolean;
}

export const LabelField = ({ value, onChange, error, first = false }: TextFieldProps) => {
  const limits = useCrmLimits();
  return (
    <TextInput
      label={t('Name', 'Name')}
      description={t('Optional, nur für Ihr Team sichtbar.', 'Optional, visible to your team only.')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={t('Vertrieb DACH', 'Sales EMEA')}
      data-autofocus={first || undefined}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      {...(limits && { maxLength: limits.label_characters })}
    />
  );
};

interface TokenFieldProps extends TextFieldProps {
  provider: string;
}

/** The access token, with a hint where to find it in the CRM. */
export const TokenField = ({ provider, value, onChange, error, first = false }: TokenFieldProps) => {
  const limits = useCrmLimits();
  const where: Record<ProviderName, [string, string]> = {
    feed: [
      t('Zugriffstoken', 'Access token'),
      t(
        'Wird bei jedem Abruf als „Authorization: Bearer …“ gesendet.',
        'Sent with every request as “Authorization: Bearer …”.',
      ),
    ],
    hubspot: [
      t('Zugriffstoken', 'Access token'),
      t(
        'Token einer privaten App oder Service Key aus Ihren HubSpot-Einstellungen. Benötigte Scopes: crm.objects.deals.read und crm.objects.owners.read, für Notizen auch crm.objects.contacts.read.',
        'Private app token or service key from your HubSpot settings. Required scopes: crm.objects.deals.read and crm.objects.owners.read, and crm.objects.contacts.read for notes.',
      ),
    ],
    pipedrive: [
      t('API-Token', 'API token'),
      t(
        'In Pipedrive unter „Persönliche Einstellungen“ > „API“. Es werden alle Deals übernommen, auf die dieser Benutzer Zugriff hat.',
        'In Pipedrive under “Personal preferences” > “API”. All deals that this user has access to are imported.',
      ),
    ],
  };
  const [label, description] = provider === 'hubspot' || provider === 'pipedrive' ? where[provider] : where.feed;
  return (
    <PasswordInput
      label={label}
      description={`${description} ${t('Wird verschlüsselt gespeichert und nicht mehr angezeigt.', 'Stored encrypted and never shown again.')}`}
      required
      data-autofocus={first || undefined}
      autoComplete="off"
      spellCheck={false}
      visibilityToggleButtonProps={{ 'aria-label': t('Token ein- oder ausblenden', 'Show or hide the token') }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      // Mantine sets this on its other inputs, but not on this kind.
      aria-invalid={Boolean(error)}
      {...(limits && { maxLength: limits.token_characters })}
    />
  );
};

/** How often a connection is synced. `value` is in seconds, undefined for the default. */
export const IntervalField = ({ value, onChange, error }: FieldProps<number | undefined>) => {
  const limits = useCrmLimits()?.interval_seconds;
  const chosen = value ?? limits?.default;
  const offered = offeredIntervals(limits, chosen);
  return (
    <NativeSelect
      label={t('Abgleich alle', 'Sync every')}
      description={t(
        'Sie können den Abgleich jederzeit auch manuell starten.',
        'You can also start a sync manually at any time.',
      )}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      disabled={!limits}
      value={String(chosen ?? '')}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
      data={offered.map((seconds) => ({ value: String(seconds), label: durationInWords(seconds) }))}
      error={error}
    />
  );
};

const languages = ['de', 'en', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'cs', 'da', 'sv', 'tr'] as const;

/** Where a CRM's objections come from, apart from the lost reason, and their category and language. */
export const ObjectionFields = ({ value, onChange, error }: FieldProps<ObjectionDraft>) => {
  const words: Record<ObjectionSource, [string, string]> = {
    'lost reason': [t('Nur Verlustgrund', 'Lost reason only'), ''],
    property: [
      t('Verlustgrund und Deal-Eigenschaft', 'Lost reason and a deal property'),
      t('Interner Name der Eigenschaft', 'Internal name of the property'),
    ],
    notes: [
      t('Verlustgrund und Notizen mit Präfix', 'Lost reason and notes with a prefix'),
      t('Präfix der Notizen', 'Prefix of the notes'),
    ],
  };
  const known: readonly string[] = languages;
  const offered = known.includes(value.lang) ? known : [value.lang, ...known];
  return (
    <Fieldset legend={t('Einwände', 'Objections')} radius="md">
      <Stack gap="md">
        <Radio.Group
          label={t('Quelle der Einwände', 'Source of objections')}
          value={value.source}
          onChange={(source) => onChange({ ...value, source })}
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
                ? t(
                    'Der Wert dieser Eigenschaft wird als Einwand übernommen.',
                    'The value of this property is imported as an objection.',
                  )
                : t(
                    'Der Text nach diesem Präfix wird als Einwand übernommen.',
                    'The text after this prefix is imported as an objection.',
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
