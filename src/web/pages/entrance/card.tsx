import { Button, Loader, Paper, Stack, Text, Title, type ButtonProps } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { entrance } from '../../server/server.ts';

/** The content of a page that is open without signing in. */
export const Card = ({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) => {
  useDocumentTitle(`${title} · Team Customer API`);
  return (
    <Paper withBorder p={{ base: 'lg', xs: 32 }} radius="lg" shadow="sm">
      <Stack>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {lead !== undefined && (
          <Text component="div" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {lead}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  );
};

export const SignOutButton = (button: ButtonProps) => {
  const signOut = useMutation(entrance.entrance.signOut.mutationOptions());
  return (
    <>
      <ProblemAlert error={signOut.error} />
      <Button {...button} size="md" loading={signOut.isPending} onClick={() => signOut.mutate({})}>
        {t('Abmelden', 'Sign out')}
      </Button>
    </>
  );
};

export const CardLoading = () => (
  <Paper withBorder p="xl" radius="lg" ta="center" mih={240} role="status" aria-label={t('Wird geladen', 'Loading')}>
    <Loader mt="xl" />
  </Paper>
);
