import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Hint, TextLink } from '../../kit/text.tsx';
import { TimeOfDay, dayName } from '../../kit/formats.tsx';
import { TextSkeleton } from '../../kit/page.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { providerName } from '../crm/connection-name.ts';
import { targetPage } from './entry-pages.ts';
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
