import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Copy } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { useText } from '../../language/language.tsx';
import type { AuditEntry } from './audit-words.ts';
import { DataValue } from './data-value.tsx';
import { useDataWords } from './data-words.ts';

const Id = ({ id, what }: { id: string; what: string }) => (
  <Group gap={4} wrap="nowrap">
    <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
    <Copy value={id} what={what} />
  </Group>
);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** What changed; what was before and is after stands in one line. */
const useChanges = (data: AuditEntry['data']): Fact[] => {
  const nameOf = useDataWords();
  const { before, after, ...rest } = data;
  const lines = (values: Record<string, unknown>): Fact[] =>
    Object.entries(values).map(([key, value]) => ({ name: nameOf(key), value: <DataValue value={value} /> }));
  if (!isObject(before) || !isObject(after)) return lines(data);
  const changed = Object.keys(after).map((key) => ({
    name: nameOf(key),
    value: (
      <>
        <DataValue value={before[key]} /> → <DataValue value={after[key]} />
      </>
    ),
  }));
  return [...changed, ...lines(rest)];
};

/** What else is known of something that was done. */
export const EntryDetails = ({ entry: { actor, target, data, request_id } }: { entry: AuditEntry }) => {
  const t = useText();
  const changes = useChanges(data);
  const about = [
    ...(target.id === null ? [] : [{ name: t('ID', 'Id'), value: <Id id={target.id} what={t('ID', 'id')} /> }]),
    ...(request_id === null
      ? []
      : [
          {
            name: t('Anfrage-ID', 'Request id'),
            value: (
              <>
                <Id id={request_id} what={t('Anfrage-ID', 'request id')} />
                {actor.kind === 'key' && (
                  <Anchor component={Link} to={`/requests?request_id=${request_id}`} size="sm">
                    {t('In den Anfragen ansehen', 'See it in the request log')}
                  </Anchor>
                )}
              </>
            ),
          },
        ]),
  ];
  return (
    <Stack gap="xs" py="xs">
      {changes.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Mehr ist dazu nicht festgehalten.', 'Nothing more is noted.')}
        </Text>
      )}
      <Facts facts={[...changes, ...about]} />
      {target.id !== null && (
        <Anchor component={Link} to={`/audit?target_type=${target.type}&target_id=${target.id}`} size="sm">
          {t('Alles, was daran getan wurde', 'Everything that was done to it')}
        </Anchor>
      )}
    </Stack>
  );
};
