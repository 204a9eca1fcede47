import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Nothing here yet, and what to do about it. */
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
