import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Stat, Stats } from '../../kit/facts.tsx';
import { Time, useCount } from '../../kit/formats.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import type { Overview } from './team-overview.tsx';

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

/** The team in five numbers, each leading to where it is from. */
export const TeamNumbers = ({ overview }: { overview: Overview }) => {
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
