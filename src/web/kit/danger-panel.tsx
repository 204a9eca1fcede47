import { Button, Group, Text } from '@mantine/core';
import { Panel } from './panel.tsx';

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
