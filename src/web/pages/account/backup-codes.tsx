import { Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { ShownOnce } from '../../kit/copy.tsx';
import { useText } from '../../language/language.ts';

const save = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
};

/** Backup codes, which nobody sees again. */
export const BackupCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const t = useText();
  const text = codes.join('\n');
  return (
    <ShownOnce value={text} what={t('die Ersatzcodes', 'the backup codes')}>
      <Group justify="space-between">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => save('backup-codes.txt', `${text}\n`)}
        >
          {t('Als Datei speichern', 'Save as a file')}
        </Button>
        <Button onClick={onDone}>{t('Ich habe sie aufbewahrt', 'I have kept them')}</Button>
      </Group>
    </ShownOnce>
  );
};
