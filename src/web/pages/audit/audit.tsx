import { Anchor, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useFilters } from '../../kit/filters.tsx';
import { startOfDay } from '../../kit/formats.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable, isCutShort, SearchFurther } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { EntryDetails, useEntryColumns } from './entries.tsx';
import { actorKinds, filterNames, targetTypes, useActorWords, useTargetWords } from './words.ts';
import type { Action } from './words.ts';

const pageSize = 50;

const isAction = (text: string, known: ReadonlyMap<string, string>): text is Action => known.has(text);

export default function AuditPage() {
  const t = useText();
  const { team } = useSignedIn();
  const filters = useFilters(...filterNames);
  const { valueOf, clear, isSet } = filters;
  const { data: reference } = app.useQuery('audit.actions', {});
  const labels = useMemo(() => new Map(reference?.actions.map(({ action, label }) => [action, label])), [reference]);
  const [range, from, to] = [valueOf('range'), valueOf('from'), valueOf('to')];
  const times = useMemo(() => timesOf({ range, from, to }, new Date()), [range, from, to]);
  const action = valueOf('action');
  const actorKind = actorKinds.find((kind) => kind === valueOf('actor_kind'));
  const targetType = targetTypes.find((type) => type === valueOf('target_type'));
  const targetId = valueOf('target_id');
  const query = {
    limit: pageSize,
    ...times,
    ...(isAction(action, labels) && { action }),
    ...(actorKind && { actor_kind: actorKind }),
    ...(targetType && { target_type: targetType }),
    ...(targetId !== '' && { target_id: targetId }),
  };
  // Waits for the list of actions: the URL may name one that does not exist.
  const list = app.usePages('audit.list', query, { enabled: action === '' || reference !== undefined });
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage, error } = list;
  const cutShort = isCutShort(list, pageSize);
  const labelOf = (name: string) => labels.get(name) ?? name;
  const columns = useEntryColumns(labelOf);

  return (
    <Page
      title={t('Protokoll', 'Audit log')}
      lead={t(
        'Was im Team geändert wurde, von wem und auf welchem Weg. Nichts davon lässt sich ändern oder löschen.',
        'What was changed in the team, by whom and in which way. None of it can be changed or deleted.',
      )}
    >
      <AuditFilters filters={filters} actions={reference?.actions ?? []} />
      {!team.privacy.member_detail && (
        <Text size="sm" c="dimmed">
          {t(
            'Angaben zu einzelnen Personen sind abgeschaltet: Trainings fehlen hier, und bei Aufgaben und Fällen steht nicht, um wen es geht.',
            'Details about individual people are switched off: trainings are not listed here, and assignments and cases do not show which person they are about.',
          )}{' '}
          <Anchor component={Link} to="/settings" size="sm">
            {t('Einstellungen', 'Settings')}
          </Anchor>
        </Text>
      )}
      {rows && cutShort && <ProblemAlert error={error} retry={() => void list.refetch()} />}
      {!(cutShort && rows?.length === 0) && (
        <DataTable
          label={t('Protokoll', 'Audit log')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          error={error}
          retry={() => void list.refetch()}
          {...(!cutShort && { more: list })}
          details={{
            label: (entry) => t(`Einzelheiten: ${labelOf(entry.action)}`, `Details: ${labelOf(entry.action)}`),
            of: (entry) => <EntryDetails entry={entry} />,
          }}
          empty={
            <Empty
              title={t('Keine Einträge entsprechen den Filtern', 'No entries match these filters')}
              action={
                isSet && (
                  <Button variant="default" onClick={clear}>
                    {t('Alles zeigen', 'Show everything')}
                  </Button>
                )
              }
            >
              {t(
                'Wählen Sie einen anderen Zeitraum oder weniger Filter.',
                'Choose another time range or fewer filters.',
              )}
            </Empty>
          }
        />
      )}
      {cutShort && (
        <SearchFurther
          key={JSON.stringify(query)}
          none={t('Unter den neuesten Einträgen ist kein passender', 'None of the newest entries matches')}
          some={t('Weiter zurück wurde noch nicht gesucht', 'Older entries have not been searched yet')}
          hint={t(
            'Ältere Einträge können passen. Mit einem Zeitraum geht die Suche schneller.',
            'Older entries may match. A time range makes the search faster.',
          )}
          found={rows?.length ?? 0}
          hasNextPage={hasNextPage}
          isFetchingNextPage={isFetchingNextPage}
          fetchNextPage={fetchNextPage}
          failed={error !== null}
        />
      )}
    </Page>
  );
}

type Name = (typeof filterNames)[number];

interface AuditFiltersProps {
  filters: ReturnType<typeof useFilters<Name>>;
  actions: readonly { action: string; label: string }[];
}

/** The filters of the log. */
const AuditFilters = ({ filters: { valueOf, set, clear, isSet }, actions }: AuditFiltersProps) => {
  const t = useText();
  const actorWords = useActorWords();
  const targetWords = useTargetWords();
  const choice = (name: Name, label: string, all: string, options: readonly { value: string; label: string }[]) => (
    <NativeSelect
      aria-label={label}
      value={valueOf(name)}
      onChange={(event) => set(name, event.currentTarget.value)}
      data={[{ value: '', label: all }, ...options]}
      maw={240}
    />
  );
  const dayOf = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="date"
      aria-label={label}
      value={valueOf(name)}
      onChange={(event) => set(name, event.currentTarget.value)}
    />
  );
  return (
    <Group gap="sm">
      {choice(
        'action',
        t('Aktion', 'Action'),
        t('Alle Aktionen', 'All actions'),
        actions.map(({ action, label }) => ({ value: action, label })),
      )}
      {choice(
        'actor_kind',
        t('Wer', 'Who'),
        t('Von allen', 'By anybody'),
        actorKinds.map((kind) => ({ value: kind, label: actorWords[kind] })),
      )}
      {choice(
        'target_type',
        t('Woran', 'Done to'),
        t('An allem', 'Done to anything'),
        targetTypes.map((type) => ({ value: type, label: targetWords[type] })),
      )}
      {choice('range', t('Zeitraum', 'Time range'), t('Jederzeit', 'At any time'), [
        { value: 'day', label: t('Letzte 24 Stunden', 'Last 24 hours') },
        { value: 'week', label: t('Letzte 7 Tage', 'Last 7 days') },
        { value: 'month', label: t('Letzte 30 Tage', 'Last 30 days') },
        { value: 'days', label: t('Von … bis …', 'From … to …') },
      ])}
      {valueOf('range') === 'days' && (
        <>
          {dayOf('from', t('Von', 'From'))}
          {dayOf('to', t('Bis', 'To'))}
        </>
      )}
      {isSet && (
        <Button variant="subtle" onClick={clear}>
          {t('Filter löschen', 'Clear filters')}
        </Button>
      )}
    </Group>
  );
};

interface Range {
  /** The name of a span that ends now, or `days` for the days from `from` to `to`. */
  range: string;
  from: string;
  to: string;
}

const dayMs = 86_400_000;

const spans = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const;
type Span = keyof typeof spans;

const isSpan = (text: string): text is Span => Object.hasOwn(spans, text);

/** The times of a range. The days `from` and `to` are both included. */
const timesOf = ({ range, from, to }: Range, now: Date): { since?: string; until?: string } => {
  if (isSpan(range)) return { since: new Date(now.getTime() - spans[range]).toISOString() };
  if (range !== 'days') return {};
  const since = startOfDay(from);
  const until = startOfDay(to, 1);
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
};
