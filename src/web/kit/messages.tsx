import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { translateNow, useText } from '../language/language.tsx';
import type { Translate } from '../language/language.tsx';
import { problemOf } from '../server/problem.ts';
import type { AppProblem } from '../server/problem.ts';
import { useWait } from './formats.tsx';

interface NoticeProps {
  tone: 'good' | 'info' | 'warn' | 'bad';
  /** `alert` and `status` are read out when they appear. */
  role?: 'note' | 'alert' | 'status';
  title: string;
  children: ReactNode;
}

const colors = { good: 'teal', info: 'blue', warn: 'yellow', bad: 'red' } as const;

const icons = { good: <IconCircleCheck aria-hidden />, info: null, warn: null, bad: <IconAlertTriangle aria-hidden /> };

/** A framed text with a title: a hint, a warning, a failure or a success. */
export const Notice = ({ tone, role = 'note', title, children }: NoticeProps) => (
  <Alert
    role={role}
    variant="outline"
    color={colors[tone]}
    icon={icons[tone]}
    title={title}
    styles={{
      root: { background: 'var(--surface)' },
      icon: { color: `var(--${tone})` },
      title: { color: `var(--${tone})` },
    }}
  >
    {children}
  </Alert>
);

/** Shown where a list or page has no content: says so, and offers what to do. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <Stack align="center" gap="xs" py="xl" px="md">
    <Text fw={600}>{title}</Text>
    {children !== undefined && (
      <Text c="dimmed" ta="center" maw={460} size="sm">
        {children}
      </Text>
    )}
    {action}
  </Stack>
);

/** Advice on a problem whose title does not say what to do. */
const adviceOn = ({ code, field }: Partial<AppProblem>, t: Translate): string | undefined => {
  if (field === 'webhook_endpoints') {
    return t(
      'Ihr Team hat schon so viele Endpunkte, wie es haben kann. Löschen Sie einen, den Sie nicht mehr brauchen.',
      'Your team has as many endpoints as it can have. Delete one that you no longer need.',
    );
  }
  if (code === 'last_admin') {
    return t(
      'Ein Team hat immer mindestens einen aktiven Admin. Machen Sie zuerst ein anderes Mitglied zum Admin.',
      'A team always has at least one active admin. Make another member an admin first.',
    );
  }
  if (code === 'owner') {
    return t(
      'Der Inhaber lässt sich weder ändern noch entfernen. Er kann das Team aber jemandem übergeben.',
      'The owner can be neither changed nor removed, but can hand the team over to somebody.',
    );
  }
  if (code === 'seat_limit_reached') {
    return t(
      'Inhaber, aktive und eingeladene Mitglieder belegen je einen Platz. Entfernen Sie jemanden oder ziehen Sie eine Einladung zurück.',
      'The owner, active and invited members take a seat each. Remove somebody or withdraw an invitation.',
    );
  }
  return undefined;
};

interface ProblemAlertProps {
  error: unknown;
  /** Adds a button that tries again. */
  retry?: () => void;
}

/** Shows a failed request in words, with the request id that the operator can look up. */
export const ProblemAlert = ({ error, retry }: ProblemAlertProps) => {
  const t = useText();
  const formatWait = useWait();
  if (error === null || error === undefined) return null;
  const problem = problemOf(error);
  const wait = problem?.retry_after;
  const advice = adviceOn(problem ?? {}, t);
  return (
    <Notice
      tone="bad"
      role="alert"
      title={problem?.title ?? t('Der Server ist nicht erreichbar', 'The server can’t be reached')}
    >
      <Stack gap="xs">
        {wait !== undefined && (
          <Text size="sm">
            {t(`Bitte versuchen Sie es ${formatWait(wait)} noch einmal.`, `Please try again ${formatWait(wait)}.`)}
          </Text>
        )}
        {advice !== undefined && <Text size="sm">{advice}</Text>}
        {advice === undefined && problem?.detail !== undefined && (
          <Text size="sm" lang="en">
            {problem.detail}
          </Text>
        )}
        <Group gap="md">
          {problem && problem.request_id !== '' && (
            <Text size="xs" c="dimmed">
              {t('Anfrage-ID', 'Request id')}: <Code>{problem.request_id}</Code>
            </Text>
          )}
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {t('Noch einmal versuchen', 'Try again')}
            </Button>
          )}
        </Group>
      </Stack>
    </Notice>
  );
};

/** How long a confirmation is shown: long enough to be seen by somebody who looks at the button first. */
export const confirmationMs = 4_000;

/** Confirms in a corner of the page that something was done. */
export const notify = (message: string): void => {
  notifications.show({
    message,
    color: 'teal',
    autoClose: confirmationMs,
    closeButtonProps: { 'aria-label': translateNow('Schließen', 'Close') },
  });
};
