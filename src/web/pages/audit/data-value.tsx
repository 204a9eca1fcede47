import { Box, Code, Group } from '@mantine/core';
import { Facts } from '../../kit/facts.tsx';
import { ExactTime } from '../../kit/formats.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { useDataWords } from './data-words.ts';

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);

/** A value that the log keeps, whatever it is, for people to read. */
export const DataValue = ({ value }: { value: unknown }) => {
  const t = useText();
  const locale = useLocale();
  const nameOf = useDataWords();
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? t('ja', 'yes') : t('nein', 'no');
  if (typeof value === 'number') return value.toLocaleString(locale);
  if (typeof value === 'string') return isTime(value) ? <ExactTime at={value} /> : <Code>{value}</Code>;
  if (Array.isArray(value)) {
    return value.length === 0 ? (
      t('nichts', 'nothing')
    ) : (
      <Group gap={4} component="span">
        {value.map((one, index) => (
          <DataValue key={index} value={one} />
        ))}
      </Group>
    );
  }
  return (
    <Box mt={-8}>
      <Facts
        facts={Object.entries(value).map(([key, one]) => ({ name: nameOf(key), value: <DataValue value={one} /> }))}
      />
    </Box>
  );
};
