import { Group, Stack, Text, Timeline, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Status } from '../../kit/page/facts.tsx';

/** The steps of a section of the settings, from top to bottom. */
export const StepList = ({ children }: { children: ReactNode }) => (
  <Timeline role="list" bulletSize={28} lineWidth={2} color="teal.8">
    {children}
  </Timeline>
);

interface StepProps {
  number: number;
  title: string;
  /** Whether the step is done. */
  active: boolean;
  /** A few words about the state of the step. */
  state: string;
  children: ReactNode;
}

/** A step in the timeline, which adds properties of its own. */
export const Step = ({ number, title, active, state, children, ...item }: StepProps) => (
  <Timeline.Item
    {...item}
    role="listitem"
    bullet={
      active ? (
        <IconCheck size={16} aria-hidden />
      ) : (
        <Text span inherit aria-hidden>
          {number}
        </Text>
      )
    }
    title={
      <Group justify="space-between" gap="sm">
        <Title order={3} size="h5">
          {title}
        </Title>
        <Status tone={active ? 'good' : 'plain'}>{state}</Status>
      </Group>
    }
  >
    <Stack gap="md" mt="md">
      {children}
    </Stack>
  </Timeline.Item>
);
