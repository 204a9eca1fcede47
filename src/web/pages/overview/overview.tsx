import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { DaysChart, OutcomeLegend, outcomesOf } from '../../kit/charts/outcomes.tsx';
import { Delta, scoreDimensions } from '../../kit/charts/scores.tsx';
import { Stat, Stats } from '../../kit/page/facts.tsx';
import { Time, count, number } from '../../kit/text/formats.tsx';
import { useIsPhone } from '../../kit/page/is-phone.ts';
import { Page, Panel, Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { Activity } from '../audit/activity.tsx';
import { Attention, FirstSteps, isNewTeam } from './attention.tsx';

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

export type Overview = AppOutputs['overview']['show'];

/** How often the numbers are loaded again. */
const refreshMs = 30_000;

/**
 * The state of the team: of its people first, then of its programs; and the first steps of a new one. On a phone, what
 * needs attention comes before the numbers.
 */
const TeamOverview = () => {
  const { privacy } = useSignedIn().team;
  const isPhone = useIsPhone();
  const query = useQuery(app.overview.show.queryOptions({}, { refetchInterval: refreshMs }));
  const { data: overview } = query;
  // Asked together with the overview, not after it.
  usePrefetchQuery(app.audit.actions.queryOptions({}));
  usePrefetchQuery(app.teamAnalytics.show.queryOptions({}));
  if (!overview) return <Pending query={query} height={834} shape="panels" />;
  if (isNewTeam(overview)) {
    return (
      <Stack gap="lg">
        <FirstSteps overview={overview} isFolded={false} />
        <RecentActivity entries={overview.latest} />
      </Stack>
    );
  }
  const people = <PeopleNumbers overview={overview} />;
  const programs = <ProgramNumbers overview={overview} />;
  // Before the first training, the steps are all that there is to see.
  const stepsAreFirst = overview.latest_training_at === null && (!isPhone || overview.attention.length === 0);
  const steps = <FirstSteps overview={overview} isFolded={isPhone && !stepsAreFirst} />;
  const attention = <Attention overview={overview} />;
  const requests = <RequestDays days={overview.requests} />;
  return (
    <Stack gap="lg">
      {stepsAreFirst && steps}
      {isPhone && attention}
      {privacy.member_detail ? people : programs}
      {!isPhone && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          {attention}
          {requests}
        </SimpleGrid>
      )}
      {!stepsAreFirst && steps}
      {isPhone && requests}
      {privacy.member_detail ? programs : people}
      <RecentActivity entries={overview.latest} />
    </Stack>
  );
};

const To = ({ to, children }: { to: string; children: ReactNode }) => (
  <TextLink to={to} inherit c="inherit" underline="hover">
    {children}
  </TextLink>
);

/** How the team practises, each number with a link to its page. */
const PeopleNumbers = ({ overview: { trainings, assignments, seats, invitations_open } }: { overview: Overview }) => {
  const { data } = useQuery(app.teamAnalytics.show.queryOptions({}));
  const areas = scoreDimensions();
  const { period, change } = data?.trend ?? { period: { score: null }, change: null };
  const weakest = data?.dimensions
    .flatMap(({ dimension, value }) => (dimension === null || value === null ? [] : [{ dimension, value }]))
    .toSorted((a, b) => a.value - b.value)[0];
  return (
    <Stats label={t('Ihr Team', 'Your team')}>
      <Stat
        label={<To to="/analytics">{t('Ø Punktzahl', 'Average score')}</To>}
        value={period.score === null ? '–' : number(period.score)}
      >
        {change === null ? (
          t('In den letzten 12 Wochen', 'In the last 12 weeks')
        ) : (
          <>
            <Delta value={change} /> {t('in 12 Wochen', 'in 12 weeks')}
          </>
        )}
      </Stat>
      <Stat
        label={<To to="/trainings">{t('Bewertete Trainings', 'Scored trainings')}</To>}
        value={number(trainings.this_week)}
      >
        {t(
          `Diese Woche bisher · ${number(trainings.last_week)} zur selben Zeit der Vorwoche`,
          `This week so far · ${number(trainings.last_week)} by the same time last week`,
        )}
      </Stat>
      <Stat
        label={<To to="/analytics">{t('Schwächster Bereich', 'Weakest area')}</To>}
        value={weakest ? number(weakest.value) : '–'}
      >
        {weakest ? areas[weakest.dimension] : t('Noch keine Bewertungen', 'No evaluations yet')}
      </Stat>
      <Stat
        label={<To to="/assignments?status=unfinished">{t('Offene Aufgaben', 'Open assignments')}</To>}
        value={number(assignments.open)}
      >
        {assignments.overdue > 0
          ? t(`Davon ${number(assignments.overdue)} überfällig`, `${number(assignments.overdue)} of them overdue`)
          : t('Keine überfällig', 'None overdue')}
      </Stat>
      <Stat
        label={<To to="/members">{t('Belegte Plätze', 'Seats taken')}</To>}
        value={t(
          `${number(seats.taken)} von ${number(seats.total)}`,
          `${number(seats.taken)} of ${number(seats.total)}`,
        )}
      >
        {invitations_open === 0
          ? t('Keine offenen Einladungen', 'No pending invitations')
          : count(
              invitations_open,
              t('offene Einladung', 'pending invitation'),
              t('offene Einladungen', 'pending invitations'),
            )}
      </Stat>
    </Stats>
  );
};

/** What the team's programs do. */
const ProgramNumbers = ({ overview: { keys, endpoints, requests } }: { overview: Overview }) => {
  const { paused, disabled } = endpoints;
  const idle = [
    paused > 0 ? t(`${paused} pausiert`, `${paused} paused`) : [],
    disabled > 0 ? t(`${disabled} deaktiviert`, `${disabled} disabled`) : [],
  ].flat();
  const today = requests.at(-1);
  const refused = (today?.refused ?? 0) + (today?.limited ?? 0) + (today?.failed ?? 0);
  return (
    <Stats label={t('Programme', 'Programs')}>
      <Stat label={<To to="/keys">{t('Aktive API-Schlüssel', 'Active API keys')}</To>} value={number(keys.active)}>
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
        value={number(endpoints.active)}
      >
        {idle.length > 0 ? idle.join(', ') : t('Keiner pausiert', 'None paused')}
      </Stat>
      <Stat
        label={<To to="/requests">{t('Anfragen heute (UTC)', 'Requests today (UTC)')}</To>}
        value={number(today?.requests ?? 0)}
      >
        {refused === 0
          ? t('Keine abgelehnt', 'None rejected')
          : t(`${number(refused)} abgelehnt oder fehlgeschlagen`, `${number(refused)} rejected or failed`)}
      </Stat>
    </Stats>
  );
};

const RequestDays = ({ days }: { days: Overview['requests'] }) => {
  const title = t('Anfragen der letzten 14 Tage', 'Requests of the last 14 days');
  const sumOf = (some: Overview['requests']) => some.reduce((sum, { requests }) => sum + requests, 0);
  const all = sumOf(days);
  const thisWeek = sumOf(days.slice(-7));
  return (
    <Panel title={title} link={{ to: '/requests', label: t('Alle Anfragen', 'All requests') }}>
      {all === 0 ? (
        <Hint>{t('Keine Anfragen in diesem Zeitraum.', 'No requests in this period.')}</Hint>
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
              {t(
                ` · ${number(all - thisWeek)} in den 7 Tagen davor`,
                ` · ${number(all - thisWeek)} in the 7 days before`,
              )}
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
      <Hint>{t('Die neuesten Einträge werden hier nicht angezeigt.', 'The newest entries are not shown here.')}</Hint>
    ) : (
      <Activity entries={entries} />
    )}
  </Panel>
);
