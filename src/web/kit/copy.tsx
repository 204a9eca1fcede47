import { ActionIcon, Button, Code, CopyButton, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useText } from '../language/language.tsx';
import { Notice, saidFor } from './messages.tsx';

/** Copies a text; says so to those who see it and those who hear it. */
export const Copy = ({ value, what }: { value: string; what: string }) => {
  const t = useText();
  return (
    <CopyButton value={value} timeout={saidFor}>
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
};

/** A secret that is shown this once and never again. */
export const ShownOnce = ({ value, what, children }: { value: string; what: string; children?: React.ReactNode }) => {
  const t = useText();
  return (
    <Stack gap="md">
      <Notice tone="warn" role="alert" title={t('Nur jetzt zu sehen', 'Shown only now')}>
        <Text size="sm">
          {t(
            `Speichern Sie ${what} jetzt an einem sicheren Ort. Eine spätere Anzeige ist nicht möglich.`,
            `Save ${what} in a safe place now. There is no way to view this again.`,
          )}
        </Text>
      </Notice>
      <Code block data-testid="secret" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {value}
      </Code>
      <Group>
        <CopyButton value={value} timeout={saidFor}>
          {({ copied, copy }) => (
            <Button
              variant="default"
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
};
