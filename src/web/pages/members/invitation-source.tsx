import { Button, Code, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useText } from '../../language/language.tsx';

interface InvitationSourceProps {
  text: string;
  most: number;
  onChange: (text: string) => void;
  onNext: () => void;
  onCancel: () => void;
}

/** Where a list comes from: pasted, typed, or a file. */
export const InvitationSource = ({ text, most, onChange, onNext, onCancel }: InvitationSourceProps) => {
  const t = useText();
  const [unreadable, setUnreadable] = useState(false);
  const read = async (file: File | null) => {
    if (!file) return;
    try {
      onChange(await file.text());
      setUnreadable(false);
    } catch {
      setUnreadable(true);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onNext();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          {t(
            `Eine Person je Zeile: E-Mail, Rolle und Sprache, getrennt durch Komma, Semikolon oder Tabulator. Rolle und Sprache dürfen fehlen. Höchstens ${most} auf einmal.`,
            `One person per line: email, role and language, separated by comma, semicolon or tab. Role and language may be left out. At most ${most} at once.`,
          )}
        </Text>
        <Code block>{'email,role,lang\nmia.berg@example.com,member,de\njo.smith@example.com,admin,en'}</Code>
        <Textarea
          label={t('Liste', 'List')}
          autosize
          minRows={6}
          maxRows={14}
          spellCheck={false}
          data-autofocus
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={unreadable ? t('Die Datei ließ sich nicht lesen.', 'The file could not be read.') : undefined}
        />
        <Group justify="space-between">
          <FileButton
            accept=".csv,.txt,text/csv,text/plain"
            inputProps={{ 'aria-label': t('CSV-Datei', 'CSV file') }}
            onChange={(file) => void read(file)}
          >
            {({ onClick }) => (
              <Button variant="default" leftSection={<IconFileUpload size={16} aria-hidden />} onClick={onClick}>
                {t('CSV-Datei wählen', 'Choose a CSV file')}
              </Button>
            )}
          </FileButton>
          <Group>
            <Button variant="default" onClick={onCancel}>
              {t('Abbrechen', 'Cancel')}
            </Button>
            <Button type="submit" disabled={text.trim() === ''}>
              {t('Prüfen', 'Review')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
};
