import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';

interface NoticeProps {
  tone: 'warn' | 'info';
  title: string;
  children: ReactNode;
}

const colors = { warn: 'yellow', info: 'blue' } as const;

/** Something to know before one goes on. */
export const Notice = ({ tone, title, children }: NoticeProps) => (
  <Alert
    role="note"
    variant="outline"
    color={colors[tone]}
    title={title}
    styles={{ title: { color: `var(--${tone})` }, root: { background: 'var(--surface)' } }}
  >
    {children}
  </Alert>
);
