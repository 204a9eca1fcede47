import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Hint, TextLink } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { useAvailability } from '../../server/availability.ts';
import { queries } from '../../server/server.ts';
import { errorsByField, problemOf } from '../../server/problem.ts';
import { waitInWords } from '../text/figures.ts';
import { adviceOn } from './advice.ts';
import classes from './messages.module.css';

interface NoticeProps {
  tone: 'good' | 'info' | 'warn' | 'bad';
  /** `alert` and `status` are read out when they appear. */
  role?: 'note' | 'alert' | 'status';
  title: string;
  children: ReactNode;
  /** A button beside the text. */
  action?: { label: string; onClick: () => void };
}

const colors = { good: 'teal', info: 'blue', warn: 'yellow', bad: 'red' } as const;

const icons = { good: <IconCircleCheck aria-hidden />, info: null, warn: null, bad: <IconAlertTriangle aria-hidden /> };

/** A framed text with a title: a hint, a warning, a failure or a success. */
export const Notice = ({ tone, role = 'note', title, children, action }: NoticeProps) => (
  <Alert
    role={role}
    variant="outline"
    color={colors[tone]}
    icon={icons[tone]}
    title={title}
    styles={{
      root: { background: `var(--${tone}-back)` },
      icon: { color: `var(--${tone})` },
      title: { color: `var(--${tone})` },
    }}
  >
    {action ? (
      <Group justify="space-between" gap="sm">
        <Text size="sm" component="div" flex="1 1 240px">
          {children}
        </Text>
        <Button size="xs" onClick={action.onClick}>
          {action.label}
        </Button>
      </Group>
    ) : (
      children
    )}
  </Alert>
);

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** A link to another page, instead of another action. */
  link?: { to: string; label: string } | undefined;
}

/**
 * Shown if a list or page has no content. It says so, and offers the next step. In a panel with a title it is short.
 */
export const Empty = ({ title, children, action, link }: EmptyProps) => (
  <div className={classes['empty']}>
    <div className={classes['title']}>{title}</div>
    {children !== undefined && <div className={classes['hint']}>{children}</div>}
    {link ? <TextLink to={link.to}>{link.label}</TextLink> : action}
  </div>
);

interface NoMatchesProps {
  /** The rows of the list, as a noun: “requests”. */
  what: string;
  advice?: string;
  clear: () => void;
}

/** Shown if no row of a list matches its filters. */
export const NoMatches = ({ what, advice, clear }: NoMatchesProps) => (
  <Empty
    title={t(`Keine ${what} entsprechen den Filtern`, `No ${what} match these filters`)}
    action={<Button onClick={clear}>{t('Filter zurücksetzen', 'Clear filters')}</Button>}
  >
    {advice ?? t('Ändern Sie die Filter oder setzen Sie sie zurück.', 'Change the filters or clear them.')}
  </Empty>
);

interface ProblemAlertProps {
  error: unknown;
  /** Adds a button that tries again. */
  retry?: () => void;
  /** Input fields that show their own errors. */
  except?: readonly string[];
}

/** Shows a failed request in words, with the request id that the operator can look up. */
export const ProblemAlert = ({ error, retry, except = [] }: ProblemAlertProps) => {
  const isLost = useAvailability().state === 'lost';
  if (error === null || error === undefined) return null;
  const problem = problemOf(error);
  // The notice of the outage has already given the reason, and the page loads by itself once the server answers.
  if (isLost && problem === undefined && retry) return <Hint>{t('Noch nicht geladen.', 'Not loaded yet.')}</Hint>;
  const wait = problem?.retry_after;
  const advice = adviceOn(problem ?? {});
  const flaws = Object.entries(errorsByField(problem)).filter(
    ([name]) => !except.includes(name) && name !== problem?.field,
  );
  const isElsewhere = problem?.field !== undefined && except.includes(problem.field);
  return (
    <Notice
      tone="bad"
      role="alert"
      title={problem?.title ?? t('Der Server ist nicht erreichbar', 'The server can’t be reached')}
    >
      <Stack gap="xs">
        {wait !== undefined && (
          <Text size="sm">
            {t(`Bitte versuchen Sie es ${waitInWords(wait)} erneut.`, `Please try again ${waitInWords(wait)}.`)}
          </Text>
        )}
        {advice !== undefined && <Text size="sm">{advice}</Text>}
        {advice === undefined && problem?.detail !== undefined && !isElsewhere && (
          <Text size="sm">{problem.detail}</Text>
        )}
        {flaws.map(([name, message]) => (
          <Text key={name} size="sm">
            {name !== '' && <Code>{name}</Code>} {message}
          </Text>
        ))}
        <Group gap="md">
          {problem && problem.request_id !== '' && (
            <Hint size="xs">
              {t('Anfrage-ID', 'Request ID')}: <Code>{problem.request_id}</Code>
            </Hint>
          )}
          {retry && (
            <Button size="xs" onClick={retry}>
              {t('Erneut versuchen', 'Try again')}
            </Button>
          )}
        </Group>
      </Stack>
    </Notice>
  );
};

/** How long a confirmation is shown: so long that people see it even if they look at the button first. */
export const confirmationMs = 4_000;

const inCorner = (tone: 'good' | 'bad') => ({
  color: colors[tone],
  icon: icons[tone],
  styles: {
    root: { background: `var(--${tone}-back)` },
    icon: { background: 'transparent', color: `var(--${tone})` },
    description: { color: 'var(--mantine-color-text)' },
  },
  closeButtonProps: { 'aria-label': t('Schließen', 'Close') },
});

/** How long a confirmation offers to undo the action. */
const undoMs = 30_000;

/** Confirms an action in a corner of the page. With `undo` the person can undo it for a while. */
export const notify = (message: string, undo?: () => Promise<unknown>): void => {
  const id = notifications.show({
    message:
      undo === undefined ? (
        message
      ) : (
        <Group justify="space-between" gap="sm">
          <Text size="sm" flex="1 1 160px">
            {message}
          </Text>
          <Button
            size="compact-sm"
            onClick={() => {
              notifications.hide(id);
              void undo()
                .then(() => notify(t('Rückgängig gemacht.', 'Undone.')), notifyProblem)
                // Loads the data again after a failure, too, because some of several requests may have succeeded.
                .finally(() => void queries.invalidateQueries());
            }}
          >
            {t('Rückgängig', 'Undo')}
          </Button>
        </Group>
      ),
    ...inCorner('good'),
    autoClose: undo === undefined ? confirmationMs : undoMs,
  });
};

/** Reports a failure in a corner of the page, for actions that have no place for messages. */
export const notifyProblem = (error: unknown): void => {
  const problem = problemOf(error);
  const wait = problem?.retry_after;
  const later = wait === undefined ? '' : waitInWords(wait);
  const explanation = adviceOn(problem ?? {}) ?? problem?.detail;
  notifications.show({
    title: problem?.title ?? t('Der Server ist nicht erreichbar', 'The server can’t be reached'),
    message:
      wait === undefined
        ? (explanation ?? t('Bitte versuchen Sie es erneut.', 'Please try again.'))
        : t(`Bitte versuchen Sie es ${later} erneut.`, `Please try again ${later}.`),
    ...inCorner('bad'),
    role: 'alert',
  });
};
