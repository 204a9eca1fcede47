import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { appRouter } from '../../../modules/app-router.ts';
import { BarChart } from '../../kit/charts/bar-chart.tsx';
import { useRequestOutcomes } from '../../kit/charts/outcomes.ts';
import { Legend } from '../../kit/charts/parts.tsx';
import { Stat, Stats } from '../../kit/facts.tsx';
import { Time, useCount } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { Attention, FirstSteps, stepsTaken } from './attention.tsx';
import classes from './overview.module.css';

/** The overview of a member has lists and a chart that the team's overview does not have. */
const OwnOverview = lazy(() => import('./own-overview.tsx'));

export default function OverviewPage() {
  const t = useText();
  const leads = useSignedIn().may('admin');
  return (
    <Page title={t('Übersicht', 'Overview')}>
      {leads ? (
        <TeamOverview />
      ) : (
        <Suspense fallback={<Skeleton height={780} radius="lg" />}>
          <OwnOverview />
        </Suspense>
      )}
    </Page>
  );
}

export type Overview = inferRouterOutputs<typeof appRouter>['team']['overview'];

/** Placeholders while the overview loads. */
const OverviewSkeleton = () => {
  const t = useText();
  return (
    <Stack gap="lg" role="status" aria-label={t('Wird geladen', 'Loading')}>
      <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="md">
        {[1, 2, 3, 4, 5].map((one) => (
          <Skeleton key={one} height={106} radius="lg" />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Skeleton height={260} radius="lg" />
        <Skeleton height={260} radius="lg" />
      </SimpleGrid>
      <Skeleton height={420} radius="lg" />
    </Stack>
  );
};

/** The state of the team, and the first steps for a new one. */
const TeamOverview = () => {
  const { data: overview, error, refetch } = useQuery(app.team.overview.queryOptions({}));
  const { data: reference } = useQuery(app.audit.actions.queryOptions({}));
  if (error && !overview) return <ProblemAlert error={error} retry={() => void refetch()} />;
  if (!overview) return <OverviewSkeleton />;

  const isNew = stepsTaken(overview).every((taken) => !taken);
  return (
    <Stack gap="lg">
      <FirstSteps overview={overview} />
      {!isNew && (
        <>
          <TeamNumbers overview={overview} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
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
        t('Noch nie verwendet', 'Never used')
      ) : (
        <>
          {t('Zuletzt verwendet', 'Last used')} <Time at={keys.last_used_at} />
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
    disabled > 0 ? t(`${disabled} deaktiviert`, `${disabled} disabled`) : [],
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
        ? t('Keine offenen Einladungen', 'No pending invitations')
        : count(
            invitations_open,
            t('offene Einladung', 'pending invitation'),
            t('offene Einladungen', 'pending invitations'),
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
      {t(`bewertet, Vorwoche: ${before}`, `scored, last week: ${before}`)}
    </Stat>
  );
};

const Assignments = ({ assignments: { open, overdue } }: { assignments: Overview['assignments'] }) => {
  const t = useText();
  const locale = useLocale();
  const late = overdue.toLocaleString(locale);
  return (
    <Stat
      label={<To to="/assignments?status=unfinished">{t('Offene Aufgaben', 'Open assignments')}</To>}
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

/** API requests of the last days. */
const RequestDays = ({ days }: { days: Overview['requests'] }) => {
  const t = useText();
  const locale = useLocale();
  const count = useCount();
  const series = useRequestOutcomes();
  const values = days.map(({ requests, limited, refused, failed }) => ({
    answered: requests - limited - refused - failed,
    refused,
    limited,
    failed,
  }));
  const sumOf = (key: (typeof series)[number]['key']) => values.reduce((sum, day) => sum + day[key], 0);
  const all = days.reduce((sum, { requests }) => sum + requests, 0);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  const [short, long] = [format({ day: 'numeric', month: 'short' }), format({ dateStyle: 'medium' })];
  return (
    <Panel
      title={t('Anfragen der letzten 14 Tage', 'Requests of the last 14 days')}
      link={{ to: '/requests', label: t('Alle Anfragen', 'All requests') }}
    >
      <BarChart
        label={t('Anfragen der letzten 14 Tage', 'Requests of the last 14 days')}
        heading={t('Tag (UTC)', 'Day (UTC)')}
        height={156}
        series={series}
        points={days.map(({ day }) => ({
          key: day,
          short: short.format(new Date(day)),
          long: long.format(new Date(day)),
        }))}
        values={values}
        labels={{ steps: [1, 2, 3, 7, 13], anchor: days.length - 1 }}
      />
      <Text size="sm" fw={600} mt="sm" mb={4}>
        {count(all, t('Anfrage', 'request'), t('Anfragen', 'requests'))}
      </Text>
      <Legend
        series={series}
        values={Object.fromEntries(series.map(({ key }) => [key, sumOf(key).toLocaleString(locale)]))}
      />
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
    if (kind === 'operator') return t('Betreiber der Plattform', 'Platform operator');
    if (kind === 'key')
      return name === null ? t('API-Schlüssel', 'API key') : t(`Schlüssel „${name}“`, `Key “${name}”`);
    return name ?? t('Mitglied des Teams', 'Team member');
  };
};

/** The newest entries of the audit log. */
const RecentActivity = ({ entries, actions }: RecentActivityProps) => {
  const t = useText();
  const actorOf = useActorName();
  const labels = actions && new Map(actions.map(({ action, label }) => [action, label]));
  return (
    <Panel
      title={t('Letzte Aktivität', 'Recent activity')}
      link={{ to: '/audit', label: t('Protokoll öffnen', 'Open audit log') }}
    >
      {entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Die neuesten Einträge werden hier nicht angezeigt.', 'The newest entries are not shown here.')}
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
