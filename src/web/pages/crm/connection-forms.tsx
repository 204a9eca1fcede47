import { Fieldset, NativeSelect, PasswordInput, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { ProviderName } from '../../../modules/crm/providers/provider.ts';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { useDuration } from '../../kit/formats.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { Reason } from './connection-words.tsx';

const fields = ['label', 'interval_seconds', 'settings'];

interface ChangeDialogProps {
  connection: Connection;
  opened: boolean;
  onClose: () => void;
}

const ChangeForm = ({ connection, onClose }: Omit<ChangeDialogProps, 'opened'>) => {
  const t = useText();
  const { connection_id, provider } = connection;
  const change = app.useChange('crm.change');
  const [label, setLabel] = useState(connection.label ?? '');
  const [seconds, setSeconds] = useState<number | undefined>(connection.interval_seconds);
  const [objections, setObjections] = useState(draftOf(connection.settings));
  const refusals = useRefusals(change.error, fields);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = label.trim();
    change.mutate(
      {
        connection_id,
        label: name === '' ? null : name,
        // An interval from before the limits may be outside of them; it stays unless it is changed.
        ...(seconds !== undefined && seconds !== connection.interval_seconds && { interval_seconds: seconds }),
        ...(provider !== 'feed' && { settings: settingsOf(objections) }),
      },
      {
        onSuccess: () => {
          tell(t('Die Verbindung ist geändert.', 'The connection is changed.'));
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <LabelField value={label} onChange={setLabel} error={refusals.at('label')} />
        <IntervalField value={seconds} onChange={setSeconds} error={refusals.at('interval_seconds')} />
        {provider !== 'feed' && (
          <ObjectionFields value={objections} onChange={setObjections} error={refusals.at('settings')} />
        )}
        {!refusals.has && <ProblemAlert error={change.error} />}
        <DialogButtons action={t('Speichern', 'Save')} running={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
};

/** Changes the name, the interval and the source of objections. */
export const ChangeDialog = ({ connection, opened, onClose }: ChangeDialogProps) => {
  const t = useText();
  return (
    <Dialog title={t('Verbindung bearbeiten', 'Edit connection')} opened={opened} onClose={onClose} size="lg">
      <ChangeForm connection={connection} onClose={onClose} />
    </Dialog>
  );
};

interface RenewDialogProps {
  connection: Connection;
  opened: boolean;
  onClose: () => void;
}

const RenewForm = ({ connection: { connection_id, provider, status }, onClose }: Omit<RenewDialogProps, 'opened'>) => {
  const t = useText();
  const renew = app.useChange('crm.renewToken');
  const [token, setToken] = useState('');
  const refusals = useRefusals(renew.error, ['token', 'url']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renew.mutate(
      { connection_id, token: token.trim() },
      {
        onSuccess: () => {
          tell(
            status === 'paused'
              ? t(
                  'Das Token ist gespeichert. Die Verbindung bleibt pausiert.',
                  'The token is saved. The connection stays paused.',
                )
              : t('Das Token ist gespeichert. Ein Abgleich startet.', 'The token is saved. A sync is starting.'),
          );
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <TokenField
          provider={provider}
          value={token}
          onChange={(text) => {
            setToken(text);
            renew.reset();
          }}
          error={refusals.at('token') ?? refusals.at('url')}
        />
        {!refusals.has && <ProblemAlert error={renew.error} />}
        <DialogButtons
          action={t('Testen und speichern', 'Test and save')}
          running={renew.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};

/** Replaces the token; the new one is tested first. */
export const RenewDialog = ({ connection, opened, onClose }: RenewDialogProps) => {
  const t = useText();
  return (
    <Dialog
      title={connection.has_token ? t('Token erneuern', 'Renew token') : t('Token eingeben', 'Enter token')}
      opened={opened}
      onClose={onClose}
    >
      <RenewForm connection={connection} onClose={onClose} />
    </Dialog>
  );
};

const minutes = 60;
const hours = 60 * minutes;

/** The intervals on offer, beside the least, the default and the most. */
const between = [10 * minutes, 30 * minutes, hours, 4 * hours, 12 * hours];

/** The limits of a connection; undefined while they load. */
export const useCrmLimits = () => app.useAnswer('reference.limits', {}).data?.crm;

/** The server's validation errors by field; `has` is true if at least one belongs to one of these fields. */
export const useRefusals = (error: unknown, fields: readonly string[]) => {
  const flaws = flawsByField(problemOf(error));
  return {
    at: (field: string): ReactNode => (flaws[field] === undefined ? undefined : <Reason reason={flaws[field]} />),
    /** As the server says it. */
    textOf: (field: string): string | undefined => flaws[field],
    has: fields.some((field) => flaws[field] !== undefined),
  };
};

interface FieldProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  error?: ReactNode;
}

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
      aria-invalid={error !== undefined}
      {...(limits && { maxLength: limits.token_characters })}
    />
  );
};

/** How often a connection is synchronized; `value` in seconds, undefined for the default. */
export const IntervalField = ({ value, onChange, error }: FieldProps<number | undefined>) => {
  const t = useText();
  const duration = useDuration();
  const limits = useCrmLimits()?.interval_seconds;
  const chosen = value ?? limits?.default;
  // The command line also sets intervals that are not offered here.
  const offered = new Set([
    ...(limits ? [limits.least, limits.default, limits.most, ...between] : []),
    ...(chosen === undefined ? [] : [chosen]),
  ]);
  return (
    <NativeSelect
      label={t('Abgleich alle', 'Sync every')}
      description={t('Von Hand ist jederzeit ein Abgleich möglich.', 'You can also sync by hand at any time.')}
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

/** The source of objections, as the form has it. */
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

/** Whether a text is a language tag as browsers take it. A CRM may send any text. */
export const isLanguageTag = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
};

/** The name of a language, in the reader's language. */
export const useLanguageName = (): ((tag: string) => string) => {
  const locale = useLocale();
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  return (tag) => (isLanguageTag(tag) ? (names.of(tag) ?? tag) : tag);
};

interface ObjectionFieldsProps {
  value: ObjectionDraft;
  onChange: (value: ObjectionDraft) => void;
  error: ReactNode;
}

/** Where a CRM's objections come from beside the lost reason, and their category and language. */
export const ObjectionFields = ({ value, onChange, error }: ObjectionFieldsProps) => {
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
