import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ProviderName } from '../../../modules/crm/providers/table.ts';
import { useDuration } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { Reason } from './reason.tsx';

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
