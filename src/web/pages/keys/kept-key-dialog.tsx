import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router';
import { Copy, ShownOnce } from '../../kit/copy.tsx';
import { useText } from '../../language/language.tsx';

/** A key as it is told this once. */
export interface Shown {
  keyId: string;
  key: string;
}

const whyOf = (event: BeforeUnloadEvent) => event.preventDefault();

const Kept = ({ shown, onKept }: { shown: Shown; onKept: (shown: Shown) => void }) => {
  const t = useText();
  const isKept = useRef(false);
  // Gone back or reloaded, it would be lost.
  const blocker = useBlocker(() => !isKept.current);
  useEffect(() => {
    if (blocker.state === 'blocked') blocker.reset();
  }, [blocker]);
  useEffect(() => {
    window.addEventListener('beforeunload', whyOf);
    return () => window.removeEventListener('beforeunload', whyOf);
  }, []);
  const line = `curl -H "Authorization: Bearer ${shown.key}" ${location.origin}/api/public/v1/me`;
  return (
    <ShownOnce value={shown.key} what={t('den Schlüssel', 'the key')}>
      <Stack gap={6}>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600}>
            {t('Gleich ausprobieren', 'Try it now')}
          </Text>
          <Copy value={line} what={t('Befehl', 'command')} />
        </Group>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {line}
        </Code>
        <Text size="xs" c="dimmed">
          {t(
            'Die Antwort nennt Ihr Team und was der Schlüssel darf. Der Schlüssel gehört auf einen Server, nie in eine Webseite oder App.',
            'The answer names your team and what the key may do. A key belongs on a server, never in a web page or an app.',
          )}
        </Text>
      </Stack>
      <Group justify="flex-end">
        <Button
          onClick={() => {
            isKept.current = true;
            onKept(shown);
          }}
        >
          {t('Ich habe ihn aufbewahrt', 'I have kept it')}
        </Button>
      </Group>
    </ShownOnce>
  );
};

interface KeptKeyDialogProps {
  title: string;
  shown: Shown | undefined;
  onKept: (shown: Shown) => void;
}

/** Shows a new key, and stays until whoever made it says that they have it. */
export const KeptKeyDialog = ({ title, shown, onKept }: KeptKeyDialogProps) => (
  <Modal
    opened={shown !== undefined}
    onClose={() => undefined}
    title={title}
    size="lg"
    withCloseButton={false}
    closeOnEscape={false}
    closeOnClickOutside={false}
  >
    {shown && <Kept shown={shown} onKept={onKept} />}
  </Modal>
);
