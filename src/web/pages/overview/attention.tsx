import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { CountedKind } from '../../../modules/teams/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time, useCount } from '../../kit/formats.tsx';
import { Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { useSignedIn } from '../../session/signed-in.tsx';
import { useConnectionName } from '../crm/connection-words.tsx';
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

type Matter = Overview['attention'][number];

interface MatterWords {
  /** Null: nobody can open the list while individual data is hidden. */
  to: string | null;
  name: string;
  tone: Tone;
  state: string;
  about: ReactNode;
}

/** A matter in words, and where it can be dealt with. */
const useMatterWords = (): ((matter: Matter, overview: Overview) => MatterWords) => {
  const t = useText();
  const count = useCount();
  const locale = useLocale();
  const connectionName = useConnectionName();
  const { member_detail: showsPeople } = useSignedIn().team.privacy;

  const requests = ({ answer, count: found, requests: all }: Extract<Matter, { kind: 'requests' }>): MatterWords => {
    const share = (found / all).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 });
    const words = {
      failed: { status: '5xx', tone: 'bad', name: t('Fehler der API (5xx)', 'API errors (5xx)') },
      limited: { status: '429', tone: 'warn', name: t('Rate-Limit (429)', 'Rate limited (429)') },
      refused: { status: '4xx', tone: 'warn', name: t('Abgelehnte Anfragen (4xx)', 'Rejected requests (4xx)') },
    } as const;
    const { status, tone, name } = words[answer];
    return {
      to: `/requests?status=${status}`,
      name,
      tone,
      state: share,
      about: t(
        `${found.toLocaleString(locale)} von ${all.toLocaleString(locale)} Anfragen gestern und heute`,
        `${found.toLocaleString(locale)} of ${all.toLocaleString(locale)} requests yesterday and today`,
      ),
    };
  };

  const counted = (found: number, endingAt: string | null): Record<CountedKind, MatterWords> => ({
    mails_failed: {
      to: '/settings',
      name: count(
        found,
        t('nicht gesendete E-Mail', 'email that was not sent'),
        t('nicht gesendete E-Mails', 'emails that were not sent'),
      ),
      tone: 'warn',
      state: t('Fehlgeschlagen', 'Failed'),
      about: t(
        'Der Mailserver hat sie in den letzten sieben Tagen nicht angenommen. Wenden Sie sich an den Betreiber.',
        'The mail server did not accept them in the last seven days. Contact the operator.',
      ),
    },
    invitations_expired: {
      to: '/members?status=invited',
      name: count(
        found,
        t('abgelaufene Einladung', 'expired invitation'),
        t('abgelaufene Einladungen', 'expired invitations'),
      ),
      tone: 'warn',
      state: t('Abgelaufen', 'Expired'),
      about: t('Senden Sie sie erneut, damit sie wieder gelten.', 'Send them again to make them valid.'),
    },
    invitations_ending: {
      to: '/members?status=invited',
      name: count(
        found,
        t('Einladung läuft bald ab', 'invitation ends soon'),
        t('Einladungen laufen bald ab', 'invitations end soon'),
      ),
      tone: 'warn',
      state: t('Läuft ab', 'Expires'),
      about: endingAt !== null && (
        <>
          {t('Die nächste endet', 'The next one ends')} <Time at={endingAt} />
        </>
      ),
    },
    assignments_overdue: {
      to: showsPeople ? '/assignments?overdue=true' : null,
      name: count(
        found,
        t('überfällige Aufgabe', 'overdue assignment'),
        t('überfällige Aufgaben', 'overdue assignments'),
      ),
      tone: 'warn',
      state: t('Überfällig', 'Overdue'),
      about: showsPeople
        ? t('Noch nicht erledigt, obwohl der Fälligkeitstag vorbei ist.', 'Not done, though the due day is over.')
        : t(
            'Wessen Aufgaben es sind, ist wegen Datenschutz nicht sichtbar.',
            'Whose they are is not shown: individual data is hidden.',
          ),
    },
  });

  const endpoint = (matter: Extract<Matter, { endpoint_id: string }>): MatterWords => {
    const isPaused = matter.kind === 'endpoint_paused';
    return {
      to: `/webhooks/${matter.endpoint_id}`,
      name: matter.url,
      tone: isPaused ? 'bad' : 'warn',
      state: isPaused ? t('Pausiert', 'Paused') : t('Schlägt fehl', 'Failing'),
      about: (
        <>
          {t('Fehler seit', 'Failing since')} <Time at={matter.failing_since} />
        </>
      ),
    };
  };

  const connection = (matter: Extract<Matter, { connection_id: string }>): MatterWords => {
    const isRefused = matter.kind === 'crm_refused';
    return {
      to: `/crm/${matter.connection_id}`,
      name: connectionName(matter),
      tone: isRefused ? 'bad' : 'warn',
      state: isRefused
        ? t('Zugangsdaten abgelehnt', 'Credentials refused')
        : t('Abgleich fehlgeschlagen', 'Sync failed'),
      about: matter.failed_at !== null && (
        <>
          {t('Letzter Fehler', 'Last failure')} <Time at={matter.failed_at} />
        </>
      ),
    };
  };

  const key = (matter: Extract<Matter, { key_id: string }>): MatterWords => {
    return {
      to: `/keys/${matter.key_id}`,
      name: matter.name,
      tone: 'warn',
      state: t('Läuft ab', 'Expires'),
      about: (
        <>
          {t('Dieser Schlüssel endet', 'This key ends')} <Time at={matter.expires_at} />
        </>
      ),
    };
  };

  const seatsFull: MatterWords = {
    to: '/members',
    name: t('Alle Plätze sind belegt', 'All seats are taken'),
    tone: 'warn',
    state: t('Voll', 'Full'),
    about: t('Einladen können Sie erst wieder, wenn ein Platz frei ist.', 'You can invite again once a seat is free.'),
  };

  return (matter, { invitations_ending_at: endingAt }) => {
    if ('endpoint_id' in matter) return endpoint(matter);
    if ('connection_id' in matter) return connection(matter);
    if ('key_id' in matter) return key(matter);
    if (matter.kind === 'requests') return requests(matter);
    return matter.kind === 'seats_full' ? seatsFull : counted(matter.count, endingAt)[matter.kind];
  };
};

const keyOf = (matter: Matter): string => Object.values(matter).slice(0, 2).join(' ');

/** What somebody should look at soon, the most urgent first. */
export const Attention = ({ overview }: { overview: Overview }) => {
  const t = useText();
  const wordsOf = useMatterWords();
  const { attention } = overview;
  return (
    <Panel title={t('Braucht Aufmerksamkeit', 'Needs attention')}>
      {attention.length === 0 ? (
        <Text c="dimmed" size="sm">
          {t('Nichts. Alles ist in Ordnung.', 'Nothing. Everything is in order.')}
        </Text>
      ) : (
        <ul className={classes['list']}>
          {attention.map((matter) => {
            const { to, name, tone, state, about } = wordsOf(matter, overview);
            return (
              <li key={keyOf(matter)}>
                <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
                  <div className={classes['words']}>
                    {to === null ? (
                      <Text size="sm" fw={600}>
                        {name}
                      </Text>
                    ) : (
                      <Anchor component={Link} to={to} size="sm" fw={600}>
                        {name}
                      </Anchor>
                    )}
                    <Text size="sm" c="dimmed">
                      {about}
                    </Text>
                  </div>
                  <Status tone={tone}>{state}</Status>
                </Group>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
};
