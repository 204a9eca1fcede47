import { Box, Center, Container, Group, Loader, Text } from '@mantine/core';
import { Suspense } from 'react';
import { Outlet } from 'react-router';
import { useText } from '../language/language.ts';
import { ColorSchemeChoice, LanguageChoice } from './choices.tsx';
import { Logo } from './logo.tsx';

/** Pages in front of the sign-in. */
export const EntranceLayout = () => {
  const t = useText();
  return (
    <Box mih="100vh" bg="var(--surface)">
      <Group component="header" justify="space-between" p="md">
        <Group gap="xs">
          <Logo />
          <Text fw={650}>Team Customer API</Text>
        </Group>
        <Group gap="xs">
          <LanguageChoice />
          <ColorSchemeChoice />
        </Group>
      </Group>
      <Container component="main" size={440} py="xl">
        <Suspense
          fallback={
            <Center mih={200} role="status" aria-label={t('Wird geladen', 'Loading')}>
              <Loader />
            </Center>
          }
        >
          <Outlet />
        </Suspense>
      </Container>
    </Box>
  );
};
