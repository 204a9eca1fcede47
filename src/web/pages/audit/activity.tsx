import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { IndividualTarget } from '../../../core/privacy.ts';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { dayName } from '../../kit/text/dates.ts';
import { TimeOfDay } from '../../kit/text/formats.tsx';
import { TextSkeleton } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { providerName } from '../crm/connection-name.ts';
import type { AuditEntry } from './words.ts';

// The overview loads this file, so it imports no words that only the audit log shows.

/** The names of actions, once they are loaded. */
export const useActionLabels = (): ReadonlyMap<string, string> | undefined => {
  const { data } = useQuery(app.audit.actions.queryOptions({}));
  return useMemo(() => data && new Map(data.actions.map(({ action, label }) => [action, label])), [data]);
};

/** The day in the reader's time zone. */
const dayOf = ({ created_at }: AuditEntry): string => new Date(created_at).toDateString();

interface ActivityProps {
  /** The newest first. */
  entries: readonly AuditEntry[];
  /** For the entries of one person. */
  withoutActor?: boolean;
}

/** Entries of the audit log as sentences, by day. */
export const Activity = ({ entries, withoutActor = false }: ActivityProps) => (
  <Stack gap="lg">
    {[...new Set(entries.map(dayOf))].map((day) => (
      <div key={day}>
        <Text component="h3" size="xs" fw={600} c="dimmed" mb="xs">
          {dayName(new Date(day))}
        </Text>
        <Stack component="ul" gap="xs" m={0} p={0}>
          {entries
            .filter((entry) => dayOf(entry) === day)
            .map((entry) => (
              <Entry key={entry.id} entry={entry} withoutActor={withoutActor} />
            ))}
        </Stack>
      </div>
    ))}
  </Stack>
);

const Entry = ({ entry, withoutActor }: { entry: AuditEntry; withoutActor: boolean }) => {
  const labels = useActionLabels();
  const { team } = useSignedIn();
  const { action, target, created_at } = entry;
  const page = targetPage(entry, team.privacy.member_detail);
  const concerned = targetName(target);
  return (
    <Group component="li" justify="space-between" wrap="nowrap" align="baseline" gap="md">
      <Text size="sm" miw={0} style={{ overflowWrap: 'anywhere' }}>
        {labels ? (labels.get(action) ?? action) : <TextSkeleton />}
        {labels && concerned !== null && (
          <>
            {': '}
            {page === undefined ? (
              <b>{concerned}</b>
            ) : (
              <TextLink to={page} inherit fw={600} c="inherit" underline="hover">
                {concerned}
              </TextLink>
            )}
          </>
        )}
        {!withoutActor && (
          <Text span inherit c="dimmed">
            {' · '}
            {actorName(entry)}
          </Text>
        )}
      </Text>
      <Hint flex="none">
        <TimeOfDay at={created_at} />
      </Hint>
    </Group>
  );
};

/** A CRM connection without a name of its own is called by its CRM. */
export const targetName = ({ type, name }: AuditEntry['target']): string | null =>
  type === 'crm_connection' && name !== null ? providerName(name) : name;

const actorName = ({ actor: { kind, name } }: AuditEntry): string => {
  if (kind === 'service') return t('Automatisch', 'Automatic');
  if (kind === 'operator') return t('Betreiber der Plattform', 'Platform operator');
  if (kind === 'key') return name === null ? t('API-Schlüssel', 'API key') : t(`Schlüssel „${name}“`, `Key “${name}”`);
  return name ?? t('Mitglied des Teams', 'Team member');
};

const textIn = ({ data }: AuditEntry, key: string): string | undefined => {
  const value = data[key];
  return typeof value === 'string' ? value : undefined;
};

const people = (name: string | null): string | undefined =>
  name === null ? undefined : `/members?search=${encodeURIComponent(name)}`;

export const actorPage = ({ actor: { kind, id, name } }: AuditEntry): string | undefined => {
  if (kind === 'key' && id !== null) return `/keys/${id}`;
  return kind === 'person' ? people(name) : undefined;
};

const deliveryPage = (endpointId: string | undefined, deliveryId: string | undefined): string | undefined =>
  endpointId === undefined || deliveryId === undefined ? undefined : `/webhooks/${endpointId}/deliveries/${deliveryId}`;

/** Targets whose pages are closed while member-level data is hidden. */
const ofPeople: ReadonlySet<string> = new Set(['assignment', 'case', 'training'] satisfies IndividualTarget[]);

/** The page of the target, if it has one and still exists. */
export const targetPage = (entry: AuditEntry, showsPeople: boolean): string | undefined => {
  const { action, target } = entry;
  if (target.id === null) return undefined;
  if (ofPeople.has(target.type) && !showsPeople) return undefined;
  if (action === 'policy.team_changed') return '/catalog';
  if (action === 'policy.member_changed') return `/catalog?member=${target.id}`;
  if (target.type === 'team') return '/settings';
  if (target.type === 'training') return `/trainings/${target.id}`;
  if (target.type === 'member') return people(target.name);
  if (target.type === 'webhook_delivery') return deliveryPage(textIn(entry, 'endpoint_id'), target.id);
  if (target.type === 'webhook_event') return `/webhooks/events/${target.id}`;
  // A target without a name no longer exists.
  if (target.name === null) return undefined;
  if (target.type === 'key') return `/keys/${target.id}`;
  if (target.type === 'assignment') return `/assignments?assignment_id=${target.id}`;
  if (target.type === 'crm_connection') return `/crm/${target.id}`;
  if (target.type === 'case') return `/cases?case_id=${target.id}`;
  if (target.type === 'catalog_item') return '/catalog';
  return target.type === 'webhook_endpoint' ? `/webhooks/${target.id}` : undefined;
};
