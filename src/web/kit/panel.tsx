import { Box, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './panel.module.css';

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
