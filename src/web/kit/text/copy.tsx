import { ActionIcon, Button, Code, CopyButton, Group, Stack, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { t } from '../../language/language.tsx';
import type { Fact } from '../page/facts.tsx';
import { confirmationMs, Notice } from '../page/messages.tsx';

/** A button that copies a text. Its label changes to confirm this, also for screen readers. */
export const Copy = ({ value, what }: { value: string; what: string }) => (
  <CopyButton value={value} timeout={confirmationMs}>
    {({ copied, copy }) => {
      const label = copied ? t('Kopiert', 'Copied') : t(`${what} kopieren`, `Copy ${what}`);
      return (
        <Tooltip label={label}>
          <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={copy}>
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      );
    }}
  </CopyButton>
);

export const CopyableId = ({ id, what }: { id: string; what: string }) => (
  <Group gap={4} wrap="nowrap">
    <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
    <Copy value={id} what={what} />
  </Group>
);

export const idFact = (id: string, name = 'ID'): Fact => ({
  name,
  value: <CopyableId id={id} what={name} />,
  alone: 'when not wide',
});

interface ShownOnceProps {
  value: string;
  what: string;
  /** `what` names several things. */
  plural?: boolean;
  children?: React.ReactNode;
}

/** A secret that the server shows only once. */
export const ShownOnce = ({ value, what, plural = false, children }: ShownOnceProps) => (
  <Stack gap="md">
    <Notice tone="warn" role="alert" title={t('Wird nur einmal angezeigt', 'Shown only once')}>
      {t(
        `Speichern Sie ${what} an einem sicheren Ort. Die Anzeige ist später nicht mehr möglich.`,
        `Store ${what} in a safe place. You won’t be able to see ${plural ? 'them' : 'it'} again.`,
      )}
    </Notice>
    <Code block data-testid="secret" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
      {value}
    </Code>
    <Group>
      <CopyButton value={value} timeout={confirmationMs}>
        {({ copied, copy }) => (
          <Button
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            onClick={copy}
          >
            {copied ? t('Kopiert', 'Copied') : t('Kopieren', 'Copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
    {children}
  </Stack>
);
