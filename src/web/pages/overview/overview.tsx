import { Anchor, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link } from 'react-router';
import { DaysChart, OutcomeLegend, outcomesOf } from '../../kit/charts/outcomes.tsx';
import { Stat, Stats } from '../../kit/facts.tsx';
import { Time, count } from '../../kit/formats.tsx';
import { Page, Panel, Pending } from '../../kit/page.tsx';
import { locale, t } from '../../language/language.tsx';
import { app, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { Activity } from '../audit/activity.tsx';
import { Attention, FirstSteps, stepsTaken } from './attention.tsx';

/** The overview of a member has lists and a chart that the team's overview does not have. */
const OwnOverview = lazy(() => import('./own-overview.tsx'));

export default function OverviewPage() {
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

export type Overview = AppOutputs['team']['overview'];

/** The state of the team, and the first steps for a new one. */
const TeamOverview = () => {
  const query = useQuery(app.team.overview.queryOptions({}));
  const { data: overview } = query;
  // Asked together with the overview, not after it.
  usePrefetchQuery(app.audit.actions.queryOptions({}));
  if (!overview) return <Pending query={query} height={834} shape="panels" />;

  const isNew = stepsTaken(overview).every((taken) => !taken);
  return (
    <Stack gap="lg">
      <FirstSteps overview={overview} />
      {!isNew && (
        <>
          <TeamNumbers overview={overview} />
          <SimpleGrid cols={{ base: 1, lg: overview.attention.length === 0 ? 1 : 2 }} spacing="lg">
            <Attention overview={overview} />
            <RequestDays days={overview.requests} />
          </SimpleGrid>
        </>
      )}
      <RecentActivity entries={overview.latest} />
    </Stack>
  );
};

const To = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to} inherit c="inherit" underline="hover">
    {children}
  </Anchor>
);

/** Five key figures, each with a link to its page. */
const TeamNumbers = ({
  overview: { keys, endpoints, seats, invitations_open, trainings, assignments },
}: {
  overview: Overview;
}) => {
  const { paused, disabled } = endpoints;
  const idle = [
    paused > 0 ? t(`${paused} pausiert`, `${paused} paused`) : [],
    disabled > 0 ? t(`${disabled} deaktiviert`, `${disabled} disabled`) : [],
  ].flat();
  const taken = seats.taken.toLocaleString(locale());
  const total = seats.total.toLocaleString(locale());
  const lastWeek = trainings.last_week.toLocaleString(locale());
  const overdue = assignments.overdue.toLocaleString(locale());
  return (
    <Stats label={t('Auf einen Blick', 'At a glance')}>
      <Stat
        label={<To to="/keys">{t('Aktive API-Schlüssel', 'Active API keys')}</To>}
        value={keys.active.toLocaleString(locale())}
      >
        {keys.last_used_at === null ? (
          t('Noch nie verwendet', 'Never used')
        ) : (
          <>
            {t('Zuletzt verwendet', 'Last used')} <Time at={keys.last_used_at} />
          </>
        )}
      </Stat>
      <Stat
        label={<To to="/webhooks">{t('Aktive Endpunkte', 'Active endpoints')}</To>}
        value={endpoints.active.toLocaleString(locale())}
      >
        {idle.length > 0 ? idle.join(', ') : t('Keiner pausiert', 'None paused')}
      </Stat>
      <Stat
        label={<To to="/members">{t('Belegte Plätze', 'Seats taken')}</To>}
        value={t(`${taken} von ${total}`, `${taken} of ${total}`)}
      >
        {invitations_open === 0
          ? t('Keine offenen Einladungen', 'No pending invitations')
          : count(
              invitations_open,
              t('offene Einladung', 'pending invitation'),
              t('offene Einladungen', 'pending invitations'),
            )}
      </Stat>
      <Stat
        label={<To to="/trainings">{t('Bewertete Trainings', 'Scored trainings')}</To>}
        value={trainings.this_week.toLocaleString(locale())}
      >
        {t(`Diese Woche (Vorwoche: ${lastWeek})`, `This week (last week: ${lastWeek})`)}
      </Stat>
      <Stat
        label={<To to="/assignments?status=unfinished">{t('Offene Aufgaben', 'Open assignments')}</To>}
        value={assignments.open.toLocaleString(locale())}
      >
        {assignments.overdue > 0
          ? t(`Davon ${overdue} überfällig`, `${overdue} of them overdue`)
          : t('Keine überfällig', 'None overdue')}
      </Stat>
    </Stats>
  );
};

const RequestDays = ({ days }: { days: Overview['requests'] }) => {
  const title = t('Anfragen der letzten 14 Tage', 'Requests of the last 14 days');
  const sumOf = (some: Overview['requests']) => some.reduce((sum, { requests }) => sum + requests, 0);
  const all = sumOf(days);
  const thisWeek = sumOf(days.slice(-7));
  const before = (all - thisWeek).toLocaleString(locale());
  return (
    <Panel title={title} link={{ to: '/requests', label: t('Alle Anfragen', 'All requests') }}>
      {all === 0 ? (
        <Text size="sm" c="dimmed">
          {t('Noch keine Anfragen in dieser Zeit.', 'No requests in this period.')}
        </Text>
      ) : (
        <>
          <DaysChart label={title} days={days} height={156} steps={[1, 2, 3, 7, 13]} />
          <OutcomeLegend counts={days.map(outcomesOf)} />
          <Text size="sm" fw={600} mt="sm">
            {count(
              thisWeek,
              t('Anfrage in 7 Tagen', 'request in 7 days'),
              t('Anfragen in 7 Tagen', 'requests in 7 days'),
            )}
            <Text span inherit fw={400} c="dimmed">
              {t(` · ${before} in den 7 Tagen davor`, ` · ${before} in the 7 days before`)}
            </Text>
          </Text>
        </>
      )}
    </Panel>
  );
};

const RecentActivity = ({ entries }: { entries: Overview['latest'] }) => (
  <Panel
    title={t('Letzte Aktivität', 'Recent activity')}
    link={{ to: '/audit', label: t('Protokoll öffnen', 'Open audit log') }}
  >
    {entries.length === 0 ? (
      <Text size="sm" c="dimmed">
        {t('Die neuesten Einträge werden hier nicht angezeigt.', 'The newest entries are not shown here.')}
      </Text>
    ) : (
      <Activity entries={entries} />
    )}
  </Panel>
);
