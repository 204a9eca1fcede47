import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { appRouter } from '../../../modules/app-router.ts';
import { Stat, Stats } from '../../kit/facts.tsx';
import { Day, Time, useCount } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { Attention, FirstSteps, stepsTaken } from './attention.tsx';
import classes from './overview.module.css';
import { OwnOverview } from './own-overview.tsx';

export default function OverviewPage() {
  const t = useText();
  const leads = useSignedIn().may('admin');
  return (
    <Page
      title={t('Übersicht', 'Overview')}
      lead={
        leads
          ? t('Wie es Ihrem Team und seinen Schnittstellen geht.', 'How your team and its integrations are doing.')
          : t('Was als Nächstes ansteht und wie Sie vorankommen.', 'What comes next and how you are getting on.')
      }
    >
      {leads ? <TeamOverview /> : <OwnOverview />}
    </Page>
  );
}

export type Overview = inferRouterOutputs<typeof appRouter>['team']['overview'];

/** Placeholders while the overview loads. */
const OverviewSkeleton = () => {
  const t = useText();
  return (
    <Stack gap="lg" role="status" aria-label={t('Wird geladen', 'Loading')}>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md">
        {[1, 2, 3, 4, 5].map((one) => (
          <Skeleton key={one} height={106} radius="lg" />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Skeleton height={260} radius="lg" />
        <Skeleton height={260} radius="lg" />
      </SimpleGrid>
      <Skeleton height={420} radius="lg" />
    </Stack>
  );
};

/** The state of the team, and the first steps for a new one. */
const TeamOverview = () => {
  const { data: overview, error, refetch } = app.useQuery('team.overview', {});
  const { data: reference } = app.useQuery('audit.actions', {});
  if (error && !overview) return <ProblemAlert error={error} retry={() => void refetch()} />;
  if (!overview) return <OverviewSkeleton />;

  const isNew = stepsTaken(overview).every((taken) => !taken);
  return (
    <Stack gap="lg">
      <FirstSteps overview={overview} />
      {!isNew && (
        <>
          <TeamNumbers overview={overview} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Attention overview={overview} />
            <RequestDays days={overview.requests} />
          </SimpleGrid>
        </>
      )}
      <RecentActivity entries={overview.latest} actions={reference?.actions} />
    </Stack>
  );
};

const To = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to} inherit c="inherit" underline="hover">
    {children}
  </Anchor>
);

const Keys = ({ keys }: { keys: Overview['keys'] }) => {
  const t = useText();
  const locale = useLocale();
  return (
    <Stat
      label={<To to="/keys">{t('Aktive API-Schlüssel', 'Active API keys')}</To>}
      value={keys.active.toLocaleString(locale)}
    >
      {keys.last_used_at === null ? (
        t('Noch nie benutzt', 'Never used yet')
      ) : (
        <>
          {t('Zuletzt benutzt', 'Last used')} <Time at={keys.last_used_at} />
        </>
      )}
    </Stat>
  );
};

const Endpoints = ({ endpoints }: { endpoints: Overview['endpoints'] }) => {
  const t = useText();
  const locale = useLocale();
  const { active, paused, disabled } = endpoints;
  const idle = [
    paused > 0 ? t(`${paused} pausiert`, `${paused} paused`) : [],
    disabled > 0 ? t(`${disabled} abgeschaltet`, `${disabled} switched off`) : [],
  ].flat();
  return (
    <Stat
      label={<To to="/webhooks">{t('Aktive Endpunkte', 'Active endpoints')}</To>}
      value={active.toLocaleString(locale)}
    >
      {idle.length > 0 ? idle.join(', ') : t('Keiner pausiert', 'None paused')}
    </Stat>
  );
};

const Seats = ({ overview: { seats, invitations_open } }: { overview: Overview }) => {
  const t = useText();
  const count = useCount();
  return (
    <Stat
      label={<To to="/members">{t('Belegte Plätze', 'Seats taken')}</To>}
      value={t(`${seats.taken} von ${seats.total}`, `${seats.taken} of ${seats.total}`)}
    >
      {invitations_open === 0
        ? t('Keine offene Einladung', 'No open invitation')
        : count(
            invitations_open,
            t('offene Einladung', 'open invitation'),
            t('offene Einladungen', 'open invitations'),
          )}
    </Stat>
  );
};

const Trainings = ({ trainings }: { trainings: Overview['trainings'] }) => {
  const t = useText();
  const locale = useLocale();
  const before = trainings.last_week.toLocaleString(locale);
  return (
    <Stat
      label={<To to="/trainings">{t('Trainings diese Woche', 'Trainings this week')}</To>}
      value={trainings.this_week.toLocaleString(locale)}
    >
      {t(`ausgewertet, zuvor ${before}`, `scored, ${before} last week`)}
    </Stat>
  );
};

const Assignments = ({ assignments: { open, overdue } }: { assignments: Overview['assignments'] }) => {
  const t = useText();
  const locale = useLocale();
  const late = overdue.toLocaleString(locale);
  return (
    <Stat
      label={<To to="/assignments?status=unfinished">{t('Unerledigte Aufgaben', 'Unfinished assignments')}</To>}
      value={open.toLocaleString(locale)}
    >
      {overdue > 0 ? t(`davon ${late} überfällig`, `${late} of them overdue`) : t('keine überfällig', 'none overdue')}
    </Stat>
  );
};

/** Five key figures, each with a link to its page. */
const TeamNumbers = ({ overview }: { overview: Overview }) => {
  const t = useText();
  return (
    <Stats label={t('Auf einen Blick', 'At a glance')}>
      <Keys keys={overview.keys} />
      <Endpoints endpoints={overview.endpoints} />
      <Seats overview={overview} />
      <Trainings trainings={overview.trainings} />
      <Assignments assignments={overview.assignments} />
    </Stats>
  );
};

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

/** A stacked bar: a day's requests by outcome. */
const Bar = ({ day, index, most }: { day: RequestDay; index: number; most: number }) => {
  const parts = partsOf(day);
  let top = height - 1;
  return kinds.map((kind) => {
    const tall = (parts[kind] / Math.max(most, 1)) * (height - 1);
    top -= tall;
    return <rect key={kind} className={classes[kind]} x={index * step + 1.5} y={top} width={step - 3} height={tall} />;
  });
};

/** API requests of the last days. */
const RequestDays = ({ days }: { days: readonly RequestDay[] }) => {
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

type Entry = Overview['latest'][number];

interface RecentActivityProps {
  entries: readonly Entry[];
  /** The names of the actions; undefined while they load. */
  actions: readonly { action: string; label: string }[] | undefined;
}

const useActorName = () => {
  const t = useText();
  return ({ actor: { kind, name } }: Entry): string => {
    if (kind === 'service') return t('Automatisch', 'Automatic');
    if (kind === 'operator') return t('Betreiber der Plattform', 'Operator of the platform');
    if (kind === 'key')
      return name === null ? t('API-Schlüssel', 'API key') : t(`Schlüssel „${name}“`, `Key “${name}”`);
    return name ?? t('Jemand aus dem Team', 'Somebody of the team');
  };
};

/** The newest entries of the audit log. */
const RecentActivity = ({ entries, actions }: RecentActivityProps) => {
  const t = useText();
  const actorOf = useActorName();
  const labels = actions && new Map(actions.map(({ action, label }) => [action, label]));
  return (
    <Panel
      title={t('Letzte Aktivitäten', 'Recent activity')}
      actions={
        <Anchor component={Link} to="/audit" size="sm">
          {t('Zum Protokoll', 'Audit log')}
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
