import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Day, useCount } from '../../kit/formats.tsx';
import { Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import classes from './overview.module.css';
import type { Overview } from './team-overview.tsx';

type RequestDay = Overview['requests'][number];
type Kind = 'answered' | 'refused' | 'failed';

const partsOf = ({ requests, limited, refused, failed }: RequestDay): Record<Kind, number> => ({
  answered: requests - limited - refused - failed,
  refused: limited + refused,
  failed,
});

const height = 100;
const step = 10;
const kinds: readonly Kind[] = ['answered', 'refused', 'failed'];

/** A day's requests on top of each other. */
const Bar = ({ day, index, most }: { day: RequestDay; index: number; most: number }) => {
  const parts = partsOf(day);
  let top = height - 1;
  return kinds.map((kind) => {
    const tall = (parts[kind] / Math.max(most, 1)) * (height - 1);
    top -= tall;
    return <rect key={kind} className={classes[kind]} x={index * step + 1.5} y={top} width={step - 3} height={tall} />;
  });
};

/** How much the API was asked lately. */
export const RequestDays = ({ days }: { days: readonly RequestDay[] }) => {
  const t = useText();
  const locale = useLocale();
  const count = useCount();
  const sumOf = (kind: Kind) => days.reduce((sum, day) => sum + partsOf(day)[kind], 0);
  const all = days.reduce((sum, { requests }) => sum + requests, 0);
  const most = Math.max(...days.map(({ requests }) => requests));
  const busiest = days.find(({ requests }) => requests === most);
  const total = count(all, t('Anfrage', 'request'), t('Anfragen', 'requests'));
  const busiestDay =
    busiest && new Date(busiest.day).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const names: Record<Kind, string> = {
    answered: t('beantwortet', 'answered'),
    refused: t('abgewiesen', 'refused'),
    failed: t('fehlgeschlagen', 'failed'),
  };
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  return (
    <Panel
      title={t('Anfragen der letzten 14 Tage', 'Requests of the last 14 days')}
      actions={
        <Anchor component={Link} to="/requests" size="sm">
          {t('Alle Anfragen', 'All requests')}
        </Anchor>
      }
    >
      <svg
        className={classes['days']}
        viewBox={`0 0 ${days.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t(
          `${total}, die meisten am ${busiestDay ?? ''}: ${most.toLocaleString(locale)}`,
          `${total}, most of them on ${busiestDay ?? ''}: ${most.toLocaleString(locale)}`,
        )}
      >
        <rect className={classes['ground']} x={0} y={height - 1} width={days.length * step} height={1} />
        {days.map((day, index) => (
          <Bar key={day.day} day={day} index={index} most={most} />
        ))}
      </svg>
      <Group justify="space-between" mt={6} mb="sm" aria-hidden>
        {first !== undefined && last !== undefined && (
          <>
            <Text size="xs" c="dimmed">
              <Day on={first} />
            </Text>
            <Text size="xs" c="dimmed">
              <Day on={last} />
            </Text>
          </>
        )}
      </Group>
      <Group gap="md">
        <Text size="sm" fw={600}>
          {total}
        </Text>
        {kinds.map((kind) => (
          <Group key={kind} gap={6} wrap="nowrap">
            <svg className={classes['swatch']} viewBox="0 0 12 12" aria-hidden>
              <rect className={classes[kind]} width={12} height={12} rx={3} />
            </svg>
            <Text size="sm" c="dimmed">
              {sumOf(kind).toLocaleString(locale)} {names[kind]}
            </Text>
          </Group>
        ))}
      </Group>
    </Panel>
  );
};
