import { ActionIcon, Button, Code, Group, Input, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { FieldProps } from '../../kit/form/form.tsx';
import { Hint } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { newRow, rowsOf, type HeaderRow, type HeadersDraft } from './header-rows.ts';

interface HeadersFieldProps extends FieldProps<HeadersDraft> {
  /** The names of the stored headers. */
  stored: readonly string[];
  /** Whether the endpoint gets another URL, to which no stored value is sent. */
  hasNewUrl: boolean;
}

export const HeadersField = ({ value: rows, onChange, error, stored, hasNewUrl }: HeadersFieldProps) => (
  <Input.Wrapper
    label={t('Eigene Header', 'Headers of your own')}
    labelElement="div"
    description={t(
      'Optional, z. B. für ein Gateway vor Ihrem Empfänger. Werte werden verschlüsselt gespeichert und nicht mehr angezeigt.',
      'Optional, for example for a gateway in front of your receiver. Values are stored encrypted and not shown again.',
    )}
    error={error}
  >
    <Stack gap="xs" mt="xs" role="group" aria-label={t('Eigene Header', 'Headers of your own')}>
      {hasNewUrl && stored.length > 0 && (
        <Hint>
          {t(
            'Gespeicherte Werte werden nicht an eine andere URL gesendet. Geben Sie sie erneut ein, oder entfernen Sie die Header.',
            'Stored values are not sent to another URL. Enter them again, or remove the headers.',
          )}
        </Hint>
      )}
      {rows === undefined ? (
        <Group gap="xs">
          {stored.map((name) => (
            <Code key={name}>{name}</Code>
          ))}
          <Button size="xs" onClick={() => onChange(rowsOf(stored))}>
            {t('Header ersetzen', 'Replace headers')}
          </Button>
        </Group>
      ) : (
        <Rows rows={rows} onChange={onChange} />
      )}
    </Stack>
  </Input.Wrapper>
);

const Rows = ({ rows, onChange }: { rows: readonly HeaderRow[]; onChange: (rows: readonly HeaderRow[]) => void }) => {
  const change = (changed: HeaderRow) => onChange(rows.map((row) => (row.id === changed.id ? changed : row)));
  return (
    <>
      {rows.map((row, index) => (
        <Group key={row.id} gap="xs" align="flex-start" wrap="nowrap" grow preventGrowOverflow={false}>
          <TextInput
            aria-label={t(`Name von Header ${index + 1}`, `Name of header ${index + 1}`)}
            placeholder="X-Gateway-Key"
            autoComplete="off"
            spellCheck={false}
            value={row.name}
            onChange={(event) => change({ ...row, name: event.currentTarget.value })}
          />
          <PasswordInput
            aria-label={t(`Wert von Header ${index + 1}`, `Value of header ${index + 1}`)}
            placeholder={t('Wert', 'Value')}
            autoComplete="off"
            value={row.value}
            onChange={(event) => change({ ...row, value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            flex="none"
            aria-label={t(`Header ${index + 1} entfernen`, `Remove header ${index + 1}`)}
            onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...rows, newRow(rows)])}
        >
          {t('Header hinzufügen', 'Add header')}
        </Button>
      </Group>
    </>
  );
};
