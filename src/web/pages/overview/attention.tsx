import { Button, Group, Text, Center } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { CountedKind } from '../../../modules/overview/schema.ts';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { Status, type Tone } from '../../kit/page/facts.tsx';
import { MinuteTime, Time, count, number } from '../../kit/text/formats.tsx';
import { Panel } from '../../kit/page/page.tsx';
import { locale, t } from '../../language/language.tsx';
import { useSignedIn } from '../../session/signed-in.tsx';
import { connectionName } from '../crm/connection-name.ts';
import { healthWords } from '../webhooks/health-words.ts';
import classes from '../../kit/list/list.module.css';
import type { Overview } from './overview.tsx';

interface Step {
  to: string;
  name: string;
  about: string;
  action: string;
}

/** Which first steps are done: inviting a person, creating a key, creating an endpoint. */
export const stepsTaken = ({ seats, keys, endpoints }: Overview): readonly boolean[] => [
  seats.taken > 1,
  keys.active > 0 || keys.last_used_at !== null,
  endpoints.active + endpoints.paused + endpoints.disabled > 0,
];

const useSteps = (): readonly Step[] => {
  const makesKeys = useSignedIn().may('keys');
  return [
    {
      to: '/members',
      name: t('Laden Sie Ihr Team ein', 'Invite your team'),
      about: t(
        'Eingeladene können sofort nach der Annahme mit Trainings beginnen.',
        'Invited people can start trainings as soon as they accept.',
      ),
      action: t('Mitglieder einladen', 'Invite members'),
    },
    {
      to: '/keys',
      name: t('Legen Sie einen API-Schlüssel an', 'Create an API key'),
      about: makesKeys
        ? t(
            'Ihre Anwendungen erhalten damit Zugriff auf die Teamdaten.',
            'Your applications use it to access the team’s data.',
          )
        : t('Dafür benötigen Sie eine Berechtigung des Inhabers.', 'You need permission from the owner for this.'),
      action: t('API-Schlüssel öffnen', 'Open API keys'),
    },
    {
      to: '/webhooks',
      name: t('Richten Sie einen Webhook ein', 'Set up a webhook'),
      about: t(
        'Ihr Server wird benachrichtigt, sobald ein Training endet oder bewertet wird.',
        'Your server is notified as soon as a training ends or is scored.',
      ),
      action: t('Webhooks öffnen', 'Open webhooks'),
    },
  ];
};

const hiddenKey = (tenantId: string): string => `first-steps-hidden:${tenantId}`;

/** The first steps of a new team, until all are done. After the first one they can be hidden: not every team needs all of them. */
export const FirstSteps = ({ overview }: { overview: Overview }) => {
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
      title={t('Erste Schritte', 'Get started')}
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
                  <Center
                    flex="none"
                    w={28}
                    h={28}
                    bdrs={999}
                    fz={14}
                    fw={650}
                    bg={done ? 'var(--good-back)' : 'var(--info-back)'}
                    c={done ? 'var(--good)' : 'var(--info)'}
                    aria-hidden
                  >
                    {done ? <IconCheck size={16} /> : index + 1}
                  </Center>
                  <div className={classes['words']}>
                    <Text fw={600}>{name}</Text>
                    <Hint>{about}</Hint>
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
  /** Null: the list is closed to everybody while individual data is hidden. */
  to: string | null;
  name: string;
  tone: Tone;
  state: string;
  about: ReactNode;
}

/** A matter in words, with a link to the page where it can be solved. */
const useMatterWords = (): ((matter: Matter, overview: Overview) => MatterWords) => {
  const { member_detail: showsPeople } = useSignedIn().team.privacy;

  const requests = ({ answer, count: found, requests: all }: Extract<Matter, { kind: 'requests' }>): MatterWords => {
    const share = (found / all).toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 1 });
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
        `${number(found)} von ${number(all)} Anfragen gestern und heute`,
        `${number(found)} of ${number(all)} requests yesterday and today`,
      ),
    };
  };

  const counted = (found: number, endingAt: string | null): Record<CountedKind, MatterWords> => ({
    mails_failed: {
      to: '/settings',
      name: count(
        found,
        t('nicht zugestellte E-Mail', 'undelivered email'),
        t('nicht zugestellte E-Mails', 'undelivered emails'),
      ),
      tone: 'warn',
      state: t('Fehlgeschlagen', 'Failed'),
      about: t(
        'Der Mailserver hat die Annahme in den letzten sieben Tagen abgelehnt. Wenden Sie sich an den Betreiber der Plattform.',
        'The mail server rejected them in the last seven days. Contact the platform operator.',
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
      about: t('Senden Sie abgelaufene Einladungen erneut.', 'Resend expired invitations.'),
    },
    invitations_ending: {
      to: '/members?status=invited',
      name: count(
        found,
        t('Einladung läuft bald ab', 'invitation expires soon'),
        t('Einladungen laufen bald ab', 'invitations expire soon'),
      ),
      tone: 'warn',
      state: t('Läuft ab', 'Expires'),
      about: endingAt !== null && (
        <>
          {t('Die nächste läuft ab', 'The next one expires')} <Time at={endingAt} />
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
      tone: 'bad',
      state: t('Überfällig', 'Overdue'),
      about: showsPeople
        ? t('Das Fälligkeitsdatum ist überschritten.', 'The due date has passed.')
        : t('Personenbezogene Daten sind ausgeblendet.', 'Individual data is hidden.'),
    },
  });

  const endpoint = (matter: Extract<Matter, { endpoint_id: string }>): MatterWords => {
    const isPaused = matter.kind === 'endpoint_paused';
    return {
      to: `/webhooks/${matter.endpoint_id}`,
      name: matter.url,
      tone: 'bad',
      state: healthWords()[isPaused ? 'paused' : 'failing'][1],
      about: (
        <>
          {t('Fehler seit', 'Failing since')} <MinuteTime at={matter.failing_since} />
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
        ? t('Zugangsdaten abgelehnt', 'Credentials rejected')
        : t('Abgleich fehlgeschlagen', 'Sync failed'),
      about: matter.failed_at !== null && (
        <>
          {t('Letzter Fehler', 'Last error')} <Time at={matter.failed_at} />
        </>
      ),
    };
  };

  const key = (matter: Extract<Matter, { key_id: string }>): MatterWords => ({
    to: `/keys/${matter.key_id}`,
    name: matter.name,
    tone: 'warn',
    state: t('Läuft ab', 'Expires'),
    about: (
      <>
        {t('Läuft ab', 'Expires')} <Time at={matter.expires_at} />
      </>
    ),
  });

  const seatsFull: MatterWords = {
    to: '/members',
    name: t('Alle Plätze sind belegt', 'All seats are taken'),
    tone: 'warn',
    state: t('Voll', 'Full'),
    about: t(
      'Sie können erst wieder Mitglieder einladen, wenn ein Platz frei ist.',
      'You can invite members again once a seat is available.',
    ),
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

/** Matters that need attention soon, the most urgent first. */
export const Attention = ({ overview }: { overview: Overview }) => {
  const wordsOf = useMatterWords();
  const { attention } = overview;
  return (
    <Panel title={t('Handlungsbedarf', 'Needs attention')}>
      {attention.length === 0 ? (
        <Hint>{t('Keine offenen Punkte.', 'No open issues.')}</Hint>
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
                      <TextLink to={to} fw={600}>
                        {name}
                      </TextLink>
                    )}
                    <Hint>{about}</Hint>
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
