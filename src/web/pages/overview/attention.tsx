import { Anchor, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time, useCount } from '../../kit/formats.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import classes from './overview.module.css';
import type { Overview } from './team-overview.tsx';

interface Matter {
  key: string;
  to: string;
  name: string;
  tone: Tone;
  state: string;
  about: ReactNode;
}

const useMatters = ({ endpoints, keys, seats, invitations_expired, assignments }: Overview): Matter[] => {
  const t = useText();
  const count = useCount();
  const { team } = useHere();
  const failing = endpoints.failing.map(({ endpoint_id, url, status, failing_since }): Matter => {
    const isPaused = status === 'disabled_failures';
    return {
      key: endpoint_id,
      to: `/webhooks/${endpoint_id}`,
      name: url,
      tone: isPaused ? 'bad' : 'warn',
      state: isPaused ? t('Pausiert', 'Paused') : t('Schlägt fehl', 'Failing'),
      about: (
        <>
          {t('Erste fehlgeschlagene Zustellung:', 'First failed delivery:')} <Time at={failing_since} />
        </>
      ),
    };
  });
  const expiring = keys.expiring.map(({ key_id, name, expires_at }): Matter => ({
    key: key_id,
    to: `/keys/${key_id}`,
    name,
    tone: 'warn',
    state: t('Läuft ab', 'Expires'),
    about: (
      <>
        {t('Dieser Schlüssel endet', 'This key ends')} <Time at={expires_at} />
      </>
    ),
  }));
  const members: Matter[] = [];
  if (invitations_expired > 0) {
    members.push({
      key: 'invitations',
      to: '/members?status=invited',
      name: count(
        invitations_expired,
        t('abgelaufene Einladung', 'expired invitation'),
        t('abgelaufene Einladungen', 'expired invitations'),
      ),
      tone: 'warn',
      state: t('Abgelaufen', 'Expired'),
      about: t('Senden Sie sie erneut, damit sie wieder gelten.', 'Send them again to make them valid.'),
    });
  }
  if (seats.taken >= seats.total) {
    members.push({
      key: 'seats',
      to: '/members',
      name: t('Alle Plätze sind belegt', 'All seats are taken'),
      tone: 'warn',
      state: t('Voll', 'Full'),
      about: t(
        'Einladen können Sie erst wieder, wenn ein Platz frei ist.',
        'You can invite again once a seat is free.',
      ),
    });
  }
  const late: Matter[] = [];
  // Only while the team shows details about individual people can anybody see and change the assignments behind this number.
  if (assignments.overdue > 0 && team.privacy.member_detail) {
    late.push({
      key: 'assignments',
      to: '/assignments?overdue=true',
      name: count(
        assignments.overdue,
        t('überfällige Aufgabe', 'overdue assignment'),
        t('überfällige Aufgaben', 'overdue assignments'),
      ),
      tone: 'warn',
      state: t('Überfällig', 'Overdue'),
      about: t('Noch nicht erledigt, obwohl der Fälligkeitstag vorbei ist.', 'Not done, though the due day is over.'),
    });
  }
  return [...failing, ...expiring, ...members, ...late];
};

/** What somebody should look at before it hurts. */
export const Attention = ({ overview }: { overview: Overview }) => {
  const t = useText();
  const matters = useMatters(overview);
  return (
    <Panel title={t('Braucht Aufmerksamkeit', 'Needs attention')}>
      {matters.length === 0 ? (
        <Text c="dimmed" size="sm">
          {t('Nichts. Alles ist in Ordnung.', 'Nothing. Everything is in order.')}
        </Text>
      ) : (
        <ul className={classes['list']}>
          {matters.map(({ key, to, name, tone, state, about }) => (
            <li key={key}>
              <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
                <div className={classes['words']}>
                  <Anchor component={Link} to={to} size="sm" fw={600}>
                    {name}
                  </Anchor>
                  <Text size="sm" c="dimmed">
                    {about}
                  </Text>
                </div>
                <Status tone={tone}>{state}</Status>
              </Group>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
};
