import { Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { CountedKind } from '../../../modules/overview/schema.ts';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { Status, type Tone } from '../../kit/page/facts.tsx';
import { number } from '../../kit/text/figures.ts';
import { MinuteTime, Time } from '../../kit/text/formats.tsx';
import { Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, whileOpen } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { connectionName } from '../crm/connection-name.ts';
import { healthWords } from '../webhooks/health-words.ts';
import classes from '../../kit/list/list.module.css';
import type { Overview } from './overview.tsx';
import {
  endingInvitationsText,
  expiredInvitationsText,
  failedMailsText,
  inactiveText,
  namesText,
  oldestText,
  overdueAssignmentsText,
  shareText,
} from './figures.ts';
import { stepsFor } from './steps.ts';

const hiddenKey = (tenantId: string): string => `first-steps-hidden:${tenantId}`;

/**
 * The first steps of a new team, until all are done; folded, they are one line that opens. After the first one they
 * can be hidden: not every team needs all of them.
 */
export const FirstSteps = ({ overview, isFolded }: { overview: Overview; isFolded: boolean }) => {
  const { may, team } = useSignedIn();
  const { tenant_id } = team;
  const steps = stepsFor(overview, may);
  const [hidden, setHidden] = useState(() => localStorage.getItem(hiddenKey(tenant_id)) !== null);
  const taken = steps.filter(({ done }) => done).length;
  const hasBegun = taken > 0;
  const next = steps.findIndex(({ done }) => !done);
  if (next === -1 || (hasBegun && hidden)) return null;

  const hide = () => {
    localStorage.setItem(hiddenKey(tenant_id), 'yes');
    setHidden(true);
  };
  const title = hasBegun
    ? t(`Erste Schritte: ${taken} von ${steps.length} erledigt`, `Get started: ${taken} of ${steps.length} done`)
    : t('Erste Schritte', 'Get started');
  const actions = hasBegun && (
    <Button variant="subtle" color="gray" size="compact-sm" onClick={hide}>
      {t('Ausblenden', 'Hide')}
    </Button>
  );
  const list = (
    <ol className={classes['list']}>
      {steps.map(
        ({ done, to, name, about, action }, index) =>
          !done && (
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
                    bg="var(--info-back)"
                    c="var(--info)"
                    aria-hidden
                  >
                    {index + 1}
                  </Center>
                  <div className={classes['words']}>
                    <Text fw={600}>{name}</Text>
                    <Hint>{about}</Hint>
                  </div>
                </Group>
                <Button
                  component={Link}
                  to={to}
                  // The documentation is no page of the app.
                  reloadDocument={to.startsWith('/developers')}
                  variant={index === next ? 'filled' : 'default'}
                >
                  {action}
                </Button>
              </Group>
            </li>
          ),
      )}
    </ol>
  );
  if (!isFolded) {
    return (
      <Panel title={title} actions={actions}>
        {list}
      </Panel>
    );
  }
  return (
    <Panel>
      <details>
        <summary>
          <Title order={2} size="h4" display="inline">
            {title}
          </Title>
        </summary>
        <Stack mt="md">
          {list}
          <Group justify="flex-end">{actions}</Group>
        </Stack>
      </details>
    </Panel>
  );
};

type Matter = Overview['attention'][number];

interface MatterWords {
  /** Null: the list is closed to everybody while member-level data is hidden. */
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
      state: shareText(found, all),
      about: t(
        `${number(found)} von ${number(all)} Anfragen gestern und heute`,
        `${number(found)} of ${number(all)} requests yesterday and today`,
      ),
    };
  };

  const counted = (
    found: number,
    { invitations_ending_at: endingAt, assignments: { oldest_due: oldestDue } }: Overview,
  ): Record<CountedKind, MatterWords> => ({
    mails_failed: {
      to: '/settings',
      name: failedMailsText(found),
      tone: 'warn',
      state: t('Fehlgeschlagen', 'Failed'),
      about: t(
        'Der Mailserver hat die Annahme in den letzten sieben Tagen abgelehnt. Wenden Sie sich an den Betreiber der Plattform.',
        'The mail server rejected them in the last seven days. Contact the platform operator.',
      ),
    },
    invitations_expired: {
      to: '/members?status=invited',
      name: expiredInvitationsText(found),
      tone: 'warn',
      state: t('Abgelaufen', 'Expired'),
      about: t('Senden Sie abgelaufene Einladungen erneut.', 'Resend expired invitations.'),
    },
    invitations_ending: {
      to: '/members?status=invited',
      name: endingInvitationsText(found),
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
      name: overdueAssignmentsText(found),
      tone: 'bad',
      state: t('Überfällig', 'Overdue'),
      about: showsPeople
        ? oldestDue !== null && oldestText(oldestDue)
        : t('Personenbezogene Daten sind ausgeblendet.', 'Member-level data is hidden.'),
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

  return (matter, overview) => {
    if ('endpoint_id' in matter) return endpoint(matter);
    if ('connection_id' in matter) return connection(matter);
    if ('key_id' in matter) return key(matter);
    if (matter.kind === 'requests') return requests(matter);
    return matter.kind === 'seats_full' ? seatsFull : counted(matter.count, overview)[matter.kind];
  };
};

const keyOf = (matter: Matter): string => Object.values(matter).slice(0, 2).join(' ');

const shownInactive = 3;

/** Who has not practised for 14 days, with some of the names. Nothing while the team hides member details. */
const useInactive = (): MatterWords | undefined => {
  const { member_detail: enabled } = useSignedIn().team.privacy;
  const { data: all } = useQuery(app.members.count.queryOptions({ inactive: true }, { enabled, ...whileOpen }));
  const { data: some } = useQuery(
    app.members.list.queryOptions(
      { inactive: true, limit: shownInactive },
      { enabled: (all?.count ?? 0) > 0, ...whileOpen },
    ),
  );
  if (!all || all.count === 0) return undefined;
  const names = some?.data.map(({ name, email }) => name ?? email) ?? [];
  return {
    to: '/members?inactive=true',
    name: inactiveText(all.count),
    tone: 'warn',
    state: t('Inaktiv', 'Inactive'),
    about: namesText(names, all.count),
  };
};

/** Matters that need attention soon, the most urgent first, those of people before those of programs. */
export const Attention = ({ overview }: { overview: Overview }) => {
  const wordsOf = useMatterWords();
  const inactive = useInactive();
  const isOfPeople = ({ kind }: Matter): boolean => kind === 'assignments_overdue';
  const { attention } = overview;
  const rows = [
    ...attention.filter(isOfPeople).map((matter) => ({ key: keyOf(matter), ...wordsOf(matter, overview) })),
    ...(inactive ? [{ key: 'inactive', ...inactive }] : []),
    ...attention
      .filter((matter) => !isOfPeople(matter))
      .map((matter) => ({ key: keyOf(matter), ...wordsOf(matter, overview) })),
  ];
  return (
    <Panel title={t('Handlungsbedarf', 'Needs attention')}>
      {rows.length === 0 ? (
        <Hint>{t('Keine offenen Punkte.', 'No open issues.')}</Hint>
      ) : (
        <ul className={classes['list']}>
          {rows.map(({ key, to, name, tone, state, about }) => {
            return (
              <li key={key}>
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
