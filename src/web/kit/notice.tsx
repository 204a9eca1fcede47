import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface NoticeProps {
  tone: 'good' | 'info' | 'warn' | 'bad';
  /** `alert` and `status` are read out when they appear. */
  role?: 'note' | 'alert' | 'status';
  title: string;
  children: ReactNode;
}

const colors = { good: 'teal', info: 'blue', warn: 'yellow', bad: 'red' } as const;

const icons = { good: <IconCircleCheck aria-hidden />, info: null, warn: null, bad: <IconAlertTriangle aria-hidden /> };

/** A framed text with a title: something to know, a failure or a success. */
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
