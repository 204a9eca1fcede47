import { Box, Code, Group, Stack, Text } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { TextLink } from '../../kit/text/text.tsx';
import { Lines, TextInCell } from '../../kit/text/cut.tsx';
import { CopyableId, idFact } from '../../kit/text/copy.tsx';
import { Facts, type Fact } from '../../kit/page/facts.tsx';
import { isKeyOf } from '../../kit/list/filters.tsx';
import { number } from '../../kit/text/figures.ts';
import { ExactTime, Time } from '../../kit/text/formats.tsx';
import { Detail, Page, TextSkeleton } from '../../kit/page/page.tsx';
import type { Column, DataTableProps } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { useActionLabels } from './activity.tsx';
import { recordedIn } from './entry-changes.ts';
import { actorPage, entryKey, entryOfKey, targetName, targetPage } from './entry-links.ts';
import { actorKinds, dataName, targetTypes, valueName, type AuditEntry } from './words.ts';

const Named = ({ kind, name, page }: { kind: string; name: string | null; page: string | undefined }) => {
  const shown = <TextInCell text={name ?? kind} />;
  return (
    <Lines below={name !== null && kind}>{page === undefined ? shown : <TextLink to={page}>{shown}</TextLink>}</Lines>
  );
};

/** JSON in which each id with a name is replaced by `name (id)`. */
const withNames = (data: unknown, names: Readonly<Record<string, string>>): string =>
  JSON.stringify(data, (_key, value: unknown) =>
    typeof value === 'string' && Object.hasOwn(names, value) ? `${names[value]} (${value})` : value,
  );

/** The target of an entry, with a link to its page. */
const Target = ({ entry }: { entry: AuditEntry }) => {
  const { team } = useSignedIn();
  const { type } = entry.target;
  const words = targetTypes();
  return (
    <Named
      kind={isKeyOf(words, type) ? words[type] : type}
      name={targetName(entry.target)}
      page={targetPage(entry, team.privacy.member_detail)}
    />
  );
};

/** The actor, with a link to their page. */
const Actor = ({ entry }: { entry: AuditEntry }) => (
  <Named kind={actorKinds()[entry.actor.kind]} name={entry.actor.name} page={actorPage(entry)} />
);

/** The columns of a table of entries, the keys of its rows, and the panel that a row opens. */
export const useEntryTable = (): Pick<DataTableProps<AuditEntry>, 'columns' | 'keyOf' | 'peek'> => {
  const labels = useActionLabels();
  const labelOf = (name: string): string => labels?.get(name) ?? name;
  const columns: readonly Column<AuditEntry>[] = [
    {
      label: t('Aktion', 'Action'),
      value: ({ action }) => labelOf(action),
      cell: ({ action }) => (
        <Text span inherit fw={600}>
          {labels ? labelOf(action) : <TextSkeleton />}
        </Text>
      ),
    },
    { label: t('Aktion (Code)', 'Action (code)'), value: ({ action }) => action },
    {
      label: t('Objekt', 'Target'),
      value: ({ target }) => target.name,
      alwaysShown: true,
      flexible: true,
      cell: (entry) => <Target entry={entry} />,
    },
    { label: t('Objekt (Typ)', 'Target (type)'), value: ({ target }) => target.type },
    { label: t('Objekt (ID)', 'Target (ID)'), value: ({ target }) => target.id },
    {
      label: t('Akteur', 'Actor'),
      value: ({ actor }) => actor.name,
      cell: (entry) => <Actor entry={entry} />,
    },
    { label: t('Akteur (Typ)', 'Actor (type)'), value: ({ actor }) => actor.kind },
    { label: t('Akteur (ID)', 'Actor (ID)'), value: ({ actor }) => actor.id },
    { label: t('Änderungen (JSON)', 'Changes (JSON)'), value: ({ data, names }) => withNames(data, names) },
    { label: t('IP-Adresse', 'IP address'), value: ({ address }) => address },
    { label: t('Anfrage-ID', 'Request ID'), value: ({ request_id }) => request_id },
    { label: t('Eintrags-ID', 'Entry ID'), value: ({ id }) => id },
    {
      label: t('Zeit', 'Time'),
      value: ({ created_at }) => created_at,
      alwaysShown: true,
      cell: ({ created_at }) => (
        <Lines below={<ExactTime at={created_at} />}>
          <Time at={created_at} />
        </Lines>
      ),
    },
  ];
  return {
    columns,
    keyOf: entryKey,
    peek: {
      title: ({ action }) => labelOf(action),
      of: (key, row) => <OneEntry entryKey={key} row={row} labelOf={labelOf} />,
    },
  };
};

/** The recorded fields as facts. */
const factsOf = (entry: AuditEntry): Fact[] =>
  recordedIn(entry).map((recorded) => {
    const { field, value } = recorded;
    const shown = <DataValue field={field} value={value} names={entry.names} />;
    return {
      name: dataName(field),
      value:
        'former' in recorded ? (
          <>
            <DataValue field={field} value={recorded.former} names={entry.names} /> → {shown}
          </>
        ) : (
          shown
        ),
    };
  });

interface OneEntryProps {
  entryKey: string;
  row: AuditEntry | undefined;
  labelOf: (action: string) => string;
}

/** An entry beside the list. If the list has not loaded it, it is found by its time. */
const OneEntry = ({ entryKey: key, row, labelOf }: OneEntryProps) => {
  const wanted = row ? undefined : entryOfKey(key);
  const query = useQuery(
    app.audit.list.queryOptions(wanted ? { since: wanted.since, until: wanted.until, limit: 100 } : skipToken),
  );
  const entry = row ?? query.data?.data.find(({ id }) => id === wanted?.id);
  return (
    <Detail
      title={t('Eintrag', 'Entry')}
      query={{ ...query, data: entry }}
      isMissing={!entry && (wanted === undefined || query.data !== undefined)}
      missing={t('Eintrag nicht gefunden', 'Entry not found')}
      advice={t('Suchen Sie ihn mit den Filtern.', 'Use the filters to find it.')}
    >
      {(found) => (
        <Page title={labelOf(found.action)}>
          <EntryDetails entry={found} />
        </Page>
      )}
    </Detail>
  );
};

const EntryDetails = ({ entry }: { entry: AuditEntry }) => {
  const { actor, target, request_id, address, created_at } = entry;
  const changes = factsOf(entry);
  const head: Fact[] = [
    { name: t('Akteur', 'Actor'), value: <Actor entry={entry} /> },
    { name: t('Objekt', 'Target'), value: <Target entry={entry} /> },
    { name: t('Zeit', 'Time'), value: <ExactTime at={created_at} /> },
  ];
  const about: (Fact | false)[] = [
    address !== null && { name: t('IP-Adresse', 'IP address'), value: <Code>{address}</Code> },
    target.id !== null && idFact(target.id),
    request_id !== null && {
      name: t('Anfrage-ID', 'Request ID'),
      value: (
        <>
          <CopyableId id={request_id} what={t('Anfrage-ID', 'request ID')} />
          {actor.kind === 'key' && (
            <TextLink to={`/requests?request_id=${request_id}`}>{t('Anfrage ansehen', 'View request')}</TextLink>
          )}
        </>
      ),
    },
  ];
  return (
    <Stack gap="xs">
      <Facts facts={[...head, ...changes, ...about]} />
      {target.id !== null && (
        <TextLink to={`/audit?target_type=${target.type}&target_id=${target.id}`}>
          {t('Alle Einträge zu diesem Objekt', 'All entries about this object')}
        </TextLink>
      )}
    </Stack>
  );
};

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);

interface DataValueProps {
  field: string;
  value: unknown;
  /** The names of ids. */
  names: Readonly<Record<string, string>>;
}

/** Shows a value of the log in a readable form. */
const DataValue = ({ field, value, names }: DataValueProps) => {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? t('Ja', 'Yes') : t('Nein', 'No');
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') {
    if (isTime(value)) return <ExactTime at={value} />;
    const word = valueName(field, value) ?? (Object.hasOwn(names, value) ? names[value] : undefined);
    return word === undefined ? <Code>{value}</Code> : <span title={value}>{word}</span>;
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? (
      t('Nichts', 'Nothing')
    ) : (
      <Group gap={4} component="span">
        {value.map((one, index) => (
          <DataValue key={index} field={field} value={one} names={names} />
        ))}
      </Group>
    );
  }
  return (
    <Box mt={-8}>
      <Facts
        facts={Object.entries(value).map(([key, one]) => ({
          name: dataName(key),
          value: <DataValue field={key} value={one} names={names} />,
        }))}
      />
    </Box>
  );
};
