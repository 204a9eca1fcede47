import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time, useCount } from '../../kit/formats.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useSignedIn } from '../../session/signed-in.tsx';
import classes from './overview.module.css';
import type { Overview } from './overview.tsx';

interface Step {
  to: string;
  name: string;
  about: string;
  action: string;
}

/** Which first steps are done: inviting somebody, creating a key, creating an endpoint. */
export const stepsTaken = ({ seats, keys, endpoints }: Overview): readonly boolean[] => [
  seats.taken > 1,
  keys.active > 0 || keys.last_used_at !== null,
  endpoints.active + endpoints.paused + endpoints.disabled > 0,
];

const useSteps = (): readonly Step[] => {
  const t = useText();
  const makesKeys = useSignedIn().may('keys');
  return [
    {
      to: '/members',
      name: t('Holen Sie Ihr Team dazu', 'Bring in your team'),
      about: t(
        'Eingeladene können üben, sobald sie die Einladung angenommen haben.',
        'Invited people can practise as soon as they accept.',
      ),
      action: t('Mitglieder einladen', 'Invite members'),
    },
    {
      to: '/keys',
      name: t('Legen Sie einen API-Schlüssel an', 'Create an API key'),
      about: makesKeys
        ? t(
            'Mit ihm lesen und schreiben Ihre Systeme die Daten des Teams.',
            'With it your systems read and write the team’s data.',
          )
        : t(
            'Das können der Inhaber und Admins, denen er das Recht gegeben hat.',
            'The owner can do this, and admins to whom the owner gave the right.',
          ),
      action: t('Zu den Schlüsseln', 'Go to keys'),
    },
    {
      to: '/webhooks',
      name: t('Richten Sie einen Webhook ein', 'Set up a webhook'),
      about: t(
        'Ihr Server wird dann sofort benachrichtigt, wenn ein Training endet oder ausgewertet ist.',
        'Your server is then notified at once when a training ends or is scored.',
      ),
      action: t('Zu den Webhooks', 'Go to webhooks'),
    },
  ];
};

const hiddenKey = (tenantId: string): string => `first-steps-hidden:${tenantId}`;

/** The first steps of a new team, until all are done. After the first one they can be hidden: not every team needs all of them. */
export const FirstSteps = ({ overview }: { overview: Overview }) => {
  const t = useText();
  const { tenant_id } = useSignedIn().team;
  const steps = useSteps();
  const taken = stepsTaken(overview);
  const [hidden, setHidden] = useState(() => localStorage.getItem(hiddenKey(tenant_id)) !== null);
  const hasBegun = taken.some(Boolean);
  const next = taken.indexOf(false);
  if (next === -1 || (hasBegun && hidden)) return null;

  const hide = () => {
    localStorage.setItem(hiddenKey(tenant_id), 'yes');
    setHidden(true);
  };
  return (
    <Panel
      title={t('Erste Schritte', 'First steps')}
      {...(hasBegun && {
        actions: (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={hide}>
            {t('Ausblenden', 'Hide')}
          </Button>
        ),
      })}
    >
      <ol className={classes['list']}>
        {steps.map(({ to, name, about, action }, index) => {
          const done = taken[index] === true;
          return (
            <li key={to}>
              <Group justify="space-between" gap="md">
                <Group gap="md" wrap="nowrap" align="flex-start" flex="1 1 320px" miw={0}>
                  <span className={classes['mark']} data-done={done || undefined} aria-hidden>
                    {done ? <IconCheck size={16} /> : index + 1}
                  </span>
                  <div className={classes['words']}>
                    <Text fw={600}>{name}</Text>
                    <Text size="sm" c="dimmed">
                      {about}
                    </Text>
                  </div>
                </Group>
                {done ? (
                  <Text size="sm" c="var(--good)" fw={600}>
                    {t('Erledigt', 'Done')}
                  </Text>
                ) : (
                  <Button component={Link} to={to} variant={index === next ? 'filled' : 'default'}>
                    {action}
                  </Button>
                )}
              </Group>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
};

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
  const { team } = useSignedIn();
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

/** What needs to be done soon: failing endpoints, expiring keys, full seats, overdue assignments. */
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
