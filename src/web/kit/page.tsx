import { Anchor, Box, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useText } from '../language/language.tsx';
import { Empty, ProblemAlert } from './messages.tsx';
import classes from './page.module.css';

interface PageProps {
  title: string;
  /** A sentence on what this page is for. */
  lead?: ReactNode;
  /** What one can do here first. */
  actions?: ReactNode;
  /** The page above, where there is one. */
  back?: { to: string; label: string };
  children: ReactNode;
}

/** A page: its name in heading and tab, what it is for, and what can be done. */
export const Page = ({ title, lead, actions, back, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Team Customer API`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Box>
        {back && (
          <Anchor component={Link} to={back.to} size="sm">
            ← {back.label}
          </Anchor>
        )}
        <Group justify="space-between" align="flex-start" gap="md">
          <Box flex="1 1 320px" miw={0}>
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {lead !== undefined && (
              <Text c="dimmed" mt={4} maw={720} style={{ textWrap: 'balance' }}>
                {lead}
              </Text>
            )}
          </Box>
          {actions !== undefined && <Group gap="sm">{actions}</Group>}
        </Group>
      </Box>
      {children}
    </Stack>
  );
};

interface PanelProps {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page that belongs together. */
export const Panel = ({ title, actions, children }: PanelProps) => (
  <Box component="section" className={classes['panel'] ?? ''} {...(title !== undefined && { 'aria-label': title })}>
    {title !== undefined && (
      <Group justify="space-between" mb="md" gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
    )}
    {children}
  </Box>
);

interface DangerPanelProps {
  title: string;
  /** Names a milder action, or one that should come first. */
  advice: string;
  /** The button's text. */
  action: string;
  onAction: () => void;
}

/** The end of a page, where its object can be deleted for good. */
export const DangerPanel = ({ title, advice, action, onAction }: DangerPanelProps) => (
  <Panel title={title}>
    <Group justify="space-between" gap="md">
      <Text size="sm" c="dimmed" flex="1 1 280px">
        {advice}
      </Text>
      <Button color="red.9" variant="filled" onClick={onAction}>
        {action}
      </Button>
    </Group>
  </Panel>
);

interface DetailStateProps {
  error: unknown;
  retry: () => void;
  /** The message if the thing does not exist. Undefined while that is not known. */
  missing: { title: string; advice: string } | undefined;
}

/** Shown in place of one thing’s details: it is missing, could not be read, or is being read. */
export const DetailState = ({ error, retry, missing }: DetailStateProps) => {
  const t = useText();
  if (missing) {
    return (
      <Panel>
        <Empty title={missing.title}>{missing.advice}</Empty>
      </Panel>
    );
  }
  if (error !== null && error !== undefined) return <ProblemAlert error={error} retry={retry} />;
  return (
    <Stack role="status" aria-label={t('Wird geladen', 'Loading')}>
      <Skeleton height={140} radius="lg" />
      <Skeleton height={260} radius="lg" />
    </Stack>
  );
};

/** Says calmly that a list about individual people is closed, as the team has decided, and what can be done all the same. */
export const DetailsOff = ({ title, children }: { title: string; children: ReactNode }) => {
  const t = useText();
  return (
    <Panel>
      <Empty
        title={title}
        action={
          <Anchor component={Link} to="/settings" size="sm">
            {t('Zu den Einstellungen', 'To the settings')}
          </Anchor>
        }
      >
        {t(
          'Ihr Team zeigt keine Angaben zu einzelnen Personen, weder hier noch in der API.',
          'Your team shows no details about individual people, neither here nor in the API.',
        )}{' '}
        {children}
      </Empty>
    </Panel>
  );
};
