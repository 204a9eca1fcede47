import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Time } from '../../kit/formats.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import classes from './overview.module.css';
import type { Overview } from './team-overview.tsx';

type Entry = Overview['latest'][number];

interface LatestDeedsProps {
  entries: readonly Entry[];
  /** What the actions are called; undefined while it loads. */
  words: readonly { action: string; label: string }[] | undefined;
}

/** Who it was. */
const useActorName = () => {
  const t = useText();
  return ({ actor: { kind, name } }: Entry): string => {
    if (kind === 'service') return t('Der Dienst von selbst', 'The service by itself');
    if (kind === 'operator') return t('Betreiber der Plattform', 'Operator of the platform');
    if (kind === 'key')
      return name === null ? t('API-Schlüssel', 'API key') : t(`Schlüssel „${name}“`, `Key “${name}”`);
    return name ?? t('Jemand aus dem Team', 'Somebody of the team');
  };
};

/** What was done last in the team. */
export const LatestDeeds = ({ entries, words }: LatestDeedsProps) => {
  const t = useText();
  const actorOf = useActorName();
  const labels = words && new Map(words.map(({ action, label }) => [action, label]));
  return (
    <Panel
      title={t('Zuletzt passiert', 'What happened lately')}
      actions={
        <Anchor component={Link} to="/audit" size="sm">
          {t('Ganzes Protokoll', 'Whole audit log')}
        </Anchor>
      }
    >
      {entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Die neuesten Einträge werden hier nicht gezeigt.', 'The newest entries are not shown here.')}
        </Text>
      )}
      <ul className={classes['list']}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <Group justify="space-between" wrap="nowrap" align="flex-start" gap="md" mih={44}>
              <div className={classes['words']}>
                {labels ? (
                  <Text size="sm">
                    {labels.get(entry.action) ?? entry.action}
                    {entry.target.name !== null && (
                      <>
                        {': '}
                        <Text span inherit fw={600}>
                          {entry.target.name}
                        </Text>
                      </>
                    )}
                  </Text>
                ) : (
                  <Skeleton height={14} width={220} my={4} />
                )}
                <Text size="sm" c="dimmed">
                  {actorOf(entry)}
                </Text>
              </div>
              <Text size="sm" c="dimmed" style={{ flex: 'none' }}>
                <Time at={entry.created_at} />
              </Text>
            </Group>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
