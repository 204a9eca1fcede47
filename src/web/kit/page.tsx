import { Anchor, Box, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

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
