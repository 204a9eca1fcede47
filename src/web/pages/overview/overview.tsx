import { Menu, SimpleGrid, Skeleton } from '@mantine/core';
import { IconMail, IconPrinter } from '@tabler/icons-react';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { ChartState } from '../../kit/charts/parts.tsx';
import { Delta, scoreDimensions } from '../../kit/charts/scores.tsx';
import { Stat, Stats } from '../../kit/page/facts.tsx';
import { number } from '../../kit/text/figures.ts';
import { Time } from '../../kit/text/formats.tsx';
import { useIsPhone } from '../../kit/page/is-phone.ts';
import { RowActions } from '../../kit/list/row-actions.tsx';
import { Page, Panel, Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, whileOpen, type AppOutputs } from '../../server/server.ts';
import { leads } from '../../session/may.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { Activity } from '../audit/activity.tsx';
import { decimal, noneScored, timeBefore } from '../analytics/trend-words.ts';
import { Attention, FirstSteps } from './attention.tsx';
import {
  idleText,
  lastWeekText,
  ofAllText,
  overdueText,
  pendingInvitationsText,
  requestsOf,
  requestsText,
  weakestOf,
} from './figures.ts';
import classes from './overview.module.css';
import { PaperHead, PaperPeople, useSlipping, type Slipping } from './slipping.tsx';
import { isNewTeam } from './steps.ts';

/** The overview of a member has lists and a chart that the team's overview does not have. */
const OwnOverview = lazy(() => import('./own-overview.tsx'));
const TrendChart = lazy(() => import('../analytics/trend-chart.tsx'));

export default function OverviewPage() {
  const { may } = useSignedIn();
  if (leads(may)) return <TeamOverview />;
  return (
    <Page title={title()}>
      <Suspense fallback={<Skeleton height={780} radius="lg" />}>
        <OwnOverview />
      </Suspense>
    </Page>
  );
}

const title = (): string => t('Übersicht', 'Overview');

export type Overview = AppOutputs['overview']['show'];

const useScores = () => useQuery(app.teamAnalytics.scores.queryOptions({ range: '12_weeks' }, whileOpen));

/**
 * The state of the team: of its people first, then of its programs; and the first steps of a new team. On a phone, the
 * matters that need attention come before the numbers.
 */
const TeamOverview = () => {
  const query = useQuery(app.overview.show.queryOptions({}, whileOpen));
  const { data: overview, dataUpdatedAt } = query;
  // Loaded together with the overview, not after it.
  useScores();
  const slipping = useSlipping(overview?.assignments.overdue ?? 0);
  usePrefetchQuery(app.audit.actions.queryOptions({}));
  if (!overview) {
    return (
      <Page title={title()}>
        <Pending query={query} height={834} shape="panels" />
      </Page>
    );
  }
  if (isNewTeam(overview)) {
    return (
      <Page title={title()}>
        <FirstSteps overview={overview} isFolded={false} />
        <RecentActivity entries={overview.latest} />
      </Page>
    );
  }
  return (
    <Page title={title()} actions={<PageMenu />}>
      <PaperHead at={new Date(dataUpdatedAt)} />
      <Panels overview={overview} slipping={slipping} />
      <PaperPeople slipping={slipping} assignments={overview.assignments.overdue} />
    </Page>
  );
};

const PageMenu = () => (
  <RowActions name={title()}>
    <Menu.Item leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
      {t('Drucken', 'Print')}
    </Menu.Item>
    <Menu.Item component={Link} to="/account" leftSection={<IconMail size={16} aria-hidden />}>
      {t('Wöchentliche E-Mail', 'Weekly email')}
    </Menu.Item>
  </RowActions>
);

const OnScreen = ({ children }: { children: ReactNode }) => <div className={classes['screen']}>{children}</div>;

const Panels = ({ overview, slipping }: { overview: Overview; slipping: Slipping }) => {
  const isPhone = useIsPhone();
  // Before the first training, the steps are the main content, but on a phone only if nothing needs attention.
  const stepsAreFirst = overview.latest_training_at === null && (!isPhone || overview.attention.length === 0);
  const steps = (
    <OnScreen>
      <FirstSteps overview={overview} isFolded={isPhone && !stepsAreFirst} />
    </OnScreen>
  );
  const attention = (
    <OnScreen>
      <Attention overview={overview} slipping={slipping} />
    </OnScreen>
  );
  const scores = <ScoreWeeks />;
  return (
    <>
      {stepsAreFirst && steps}
      {isPhone && attention}
      <PeopleNumbers overview={overview} />
      {!isPhone && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          {attention}
          {scores}
        </SimpleGrid>
      )}
      {!stepsAreFirst && steps}
      {isPhone && scores}
      <OnScreen>
        <ProgramNumbers overview={overview} />
      </OnScreen>
      <OnScreen>
        <RecentActivity entries={overview.latest} />
      </OnScreen>
    </>
  );
};

const To = ({ to, children }: { to: string; children: ReactNode }) => (
  <TextLink to={to} inherit c="inherit" underline="hover">
    {children}
  </TextLink>
);

/** How the team practises, each number with a link to its page. */
const PeopleNumbers = ({ overview: { trainings, assignments, seats, invitations_open } }: { overview: Overview }) => {
  const { data: scores } = useScores();
  const areas = scoreDimensions();
  const { period, change } = scores?.trend ?? { period: { score: null }, change: null };
  const weakest = weakestOf(scores?.dimensions ?? []);
  return (
    <Stats label={t('Ihr Team', 'Your team')}>
      <Stat
        label={<To to="/analytics">{t('Ø Punktzahl', 'Average score')}</To>}
        value={period.score === null ? '–' : decimal(period.score)}
      >
        {change === null ? (
          t('In den letzten 12 Wochen', 'In the last 12 weeks')
        ) : (
          <>
            <Delta value={change} /> {t('gegenüber', 'compared with')} {timeBefore('12_weeks')}
          </>
        )}
      </Stat>
      <Stat
        label={<To to="/trainings">{t('Bewertete Trainings', 'Scored trainings')}</To>}
        value={number(trainings.this_week)}
      >
        {lastWeekText(trainings.last_week)}
      </Stat>
      <Stat
        label={<To to="/analytics">{t('Schwächster Bereich', 'Weakest area')}</To>}
        value={weakest ? decimal(weakest.value) : '–'}
      >
        {weakest ? areas[weakest.dimension] : t('Noch keine Bewertungen', 'No evaluations yet')}
      </Stat>
      <Stat
        label={<To to="/assignments?status=unfinished">{t('Offene Aufgaben', 'Open assignments')}</To>}
        value={number(assignments.open)}
      >
        {overdueText(assignments.overdue)}
      </Stat>
      <Stat
        label={<To to="/members">{t('Belegte Plätze', 'Seats taken')}</To>}
        value={ofAllText(seats.taken, seats.total)}
      >
        {pendingInvitationsText(invitations_open)}
      </Stat>
    </Stats>
  );
};

/** Figures about the team's programs. A team without programs gets none. */
const ProgramNumbers = ({ overview: { keys, endpoints, requests } }: { overview: Overview }) => {
  const shown = requestsOf(requests);
  if (keys.active === 0 && Object.values(endpoints).every((found) => found === 0) && shown.week === 0) return null;
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
        {idleText(endpoints)}
      </Stat>
      <Stat label={<To to="/requests">{t('Anfragen in 7 Tagen', 'Requests in 7 days')}</To>} value={number(shown.week)}>
        {requestsText(shown)}
      </Stat>
    </Stats>
  );
};

const chartHeight = 190;

/** The score of each week. A point opens the trainings behind it. */
const ScoreWeeks = () => {
  const query = useScores();
  const { member_detail: showsPeople } = useSignedIn().team.privacy;
  const trend = query.data?.trend;
  return (
    <Panel
      title={t('Punktzahl der letzten 12 Wochen', 'Score of the last 12 weeks')}
      link={{ to: '/analytics', label: t('Teamauswertung öffnen', 'Open analytics') }}
    >
      <ChartState
        height={chartHeight}
        pending={trend ? undefined : query}
        empty={trend?.period.count === 0 ? noneScored() : undefined}
      >
        <Suspense fallback={<Skeleton height={chartHeight} />}>
          {trend && (
            <TrendChart
              trend={trend}
              name={t('Ganzes Team', 'Whole team')}
              trainings={showsPeople ? {} : undefined}
              height={chartHeight}
            />
          )}
        </Suspense>
      </ChartState>
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
