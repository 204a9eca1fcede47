import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { byDay, dayName } from '../../kit/text/dates.ts';
import { TimeOfDay } from '../../kit/text/formats.tsx';
import { TextSkeleton } from '../../kit/page/page.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { actorName, targetName, targetPage } from './entry-links.ts';
import type { AuditEntry } from './words.ts';

// The overview loads this file, so it imports no words that only the audit log needs.

/** The names of actions, once they are loaded. */
export const useActionLabels = (): ReadonlyMap<string, string> | undefined => {
  const { data } = useQuery(app.audit.actions.queryOptions({}));
  return useMemo(() => data && new Map(data.actions.map(({ action, label }) => [action, label])), [data]);
};

interface ActivityProps {
  /** The newest first. */
  entries: readonly AuditEntry[];
  /** Leaves out the actor, because all entries are of one person. */
  withoutActor?: boolean;
}

/** Entries of the audit log as sentences, by day. */
export const Activity = ({ entries, withoutActor = false }: ActivityProps) => (
  <Stack gap="lg">
    {byDay(entries, ({ created_at }) => created_at).map(([day, ofDay]) => (
      <div key={day.getTime()}>
        <Text component="h3" size="xs" fw={600} c="dimmed" mb="xs">
          {dayName(day)}
        </Text>
        <Stack component="ul" gap="xs" m={0} p={0}>
          {ofDay.map((entry) => (
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
