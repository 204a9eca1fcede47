import { Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { number } from '../../kit/text/figures.ts';
import { MinuteTime, Time } from '../../kit/text/formats.tsx';
import { Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { useSignedIn } from '../../session/signed-in.tsx';
import classes from '../../kit/list/list.module.css';
import type { Overview } from './overview.tsx';
import { inactiveText, oldestText } from './figures.ts';
import { bySubject, matterWords, type Matter, type MatterWords } from './matters.ts';
import { InactiveNames, OverdueNames, type Slipping } from './slipping.tsx';
import { hiddenStepsKey, stepsFor } from './steps.ts';

/**
 * The first steps of a new team, until all are done. Folded, they are one line that can be opened. After the first step
 * they can be hidden, because not every team needs all of them.
 */
export const FirstSteps = ({ overview, isFolded }: { overview: Overview; isFolded: boolean }) => {
  const { may, team } = useSignedIn();
  const { tenant_id } = team;
  const steps = stepsFor(overview, may);
  const [hidden, setHidden] = useState(() => localStorage.getItem(hiddenStepsKey(tenant_id)) !== null);
  const taken = steps.filter(({ done }) => done).length;
  const hasBegun = taken > 0;
  const next = steps.findIndex(({ done }) => !done);
  if (next === -1 || (hasBegun && hidden)) return null;

  const hide = () => {
    localStorage.setItem(hiddenStepsKey(tenant_id), 'yes');
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
        ({ done, to, name, about, action, isOfPeople }, index) =>
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
                  // The documentation is not a page of the app, so the browser loads it.
                  reloadDocument={to.startsWith('/developers')}
                  variant={index === next && isOfPeople ? 'filled' : 'default'}
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

const keyOf = (matter: Matter): string => Object.values(matter).slice(0, 2).join(' ');

interface AttentionRow extends MatterWords {
  about: ReactNode;
}

/** The second line of a matter: a fact about it, or the next step. */
const aboutOf = (
  matter: Matter,
  { invitations_ending_at: endingAt, assignments: { oldest_due: oldestDue } }: Overview,
  { slipping: { overdue }, showsPeople }: { slipping: Slipping; showsPeople: boolean },
): ReactNode => {
  if (matter.kind === 'requests') {
    return t(
      `${number(matter.count)} von ${number(matter.requests)} Anfragen gestern und heute`,
      `${number(matter.count)} of ${number(matter.requests)} requests yesterday and today`,
    );
  }
  if (matter.kind === 'mails_failed') {
    return t(
      'Der Mailserver hat die Annahme in den letzten sieben Tagen abgelehnt. Wenden Sie sich an den Betreiber der Plattform.',
      'The mail server rejected them in the last seven days. Contact the platform operator.',
    );
  }
  if (matter.kind === 'invitations_expired') {
    return t('Senden Sie abgelaufene Einladungen erneut.', 'Resend expired invitations.');
  }
  if (matter.kind === 'invitations_ending') {
    return (
      endingAt !== null && (
        <>
          {t('Die nächste läuft ab', 'The next one expires')} <Time at={endingAt} />
        </>
      )
    );
  }
  if (matter.kind === 'assignments_overdue') {
    if (!showsPeople) return t('Personenbezogene Daten sind ausgeblendet.', 'Member-level data is hidden.');
    return (
      <>
        {overdue.length > 0 && (
          <>
            <OverdueNames people={overdue} />
            {'. '}
          </>
        )}
        {oldestDue !== null && oldestText(oldestDue)}
      </>
    );
  }
  if (matter.kind === 'endpoint_paused' || matter.kind === 'endpoint_failing') {
    return (
      <>
        {t('Fehler seit', 'Failing since')} <MinuteTime at={matter.failing_since} />
      </>
    );
  }
  if (matter.kind === 'crm_refused' || matter.kind === 'crm_failing') {
    return (
      matter.failed_at !== null && (
        <>
          {t('Letzter Fehler', 'Last error')} <Time at={matter.failed_at} />
        </>
      )
    );
  }
  if (matter.kind === 'key_reported') {
    return (
      <>
        {t('Der API-Schlüssel ist noch aktiv. Gemeldet', 'The API key is still active. Reported')}{' '}
        <Time at={matter.reported_at} />
      </>
    );
  }
  if (matter.kind === 'key_expiring') {
    return (
      <>
        {t('Läuft ab', 'Expires')} <Time at={matter.expires_at} />
      </>
    );
  }
  return t(
    'Sie können erst wieder Mitglieder einladen, wenn ein Platz frei ist.',
    'You can invite members again once a seat is available.',
  );
};

/** The row about members who have not practised for 14 days, with some of the names. */
const inactiveRow = ({ inactive }: Slipping): AttentionRow => ({
  to: '/members?inactive=true',
  name: inactiveText(inactive.all),
  tone: 'warn',
  state: t('Inaktiv', 'Inactive'),
  action: t('Training zuweisen', 'Assign training'),
  about: <InactiveNames {...inactive} />,
});

/** Matters that need attention soon, the most urgent first. Matters of people come before matters of programs. */
export const Attention = ({ overview, slipping }: { overview: Overview; slipping: Slipping }) => {
  const { member_detail: showsPeople } = useSignedIn().team.privacy;
  const { ofPeople, ofPrograms } = bySubject(overview.attention);
  const rowOf = (matter: Matter) => ({
    key: keyOf(matter),
    ...matterWords(matter, showsPeople),
    about: aboutOf(matter, overview, { slipping, showsPeople }),
  });
  const rows = [
    ...ofPeople.map(rowOf),
    ...(slipping.inactive.all > 0 ? [{ key: 'inactive', ...inactiveRow(slipping) }] : []),
    ...ofPrograms.map(rowOf),
  ];
  return (
    <Panel title={t('Handlungsbedarf', 'Needs attention')}>
      {rows.length === 0 ? (
        <Hint>{t('Keine offenen Punkte.', 'No open issues.')}</Hint>
      ) : (
        <ul className={classes['list']}>
          {rows.map(({ key, to, name, tone, state, about, action }) => {
            return (
              <li key={key}>
                <Group justify="space-between" align="flex-start" gap="sm">
                  <div className={classes['words']} style={{ flex: '1 1 200px' }}>
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
                  <Group gap="sm" flex="none">
                    <Status tone={tone}>{state}</Status>
                    {to !== null && (
                      <Button size="compact-sm" component={Link} to={to} aria-label={`${action}: ${name}`}>
                        {action}
                      </Button>
                    )}
                  </Group>
                </Group>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
};
