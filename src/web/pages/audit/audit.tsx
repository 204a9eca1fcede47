import { Anchor, Button, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useFilters } from '../../kit/filters.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable, isCutShort, SearchFurther } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { actorKinds, filterNames, targetTypes } from './audit-words.ts';
import type { Action } from './audit-words.ts';
import { useEntryColumns } from './entry-columns.tsx';
import { EntryDetails } from './entry-details.tsx';
import { timesOf } from './time-range.ts';

const pageSize = 50;

const isAction = (text: string, known: ReadonlyMap<string, string>): text is Action => known.has(text);

export default function AuditPage() {
  const t = useText();
  const { team } = useHere();
  const filters = useFilters(...filterNames);
  const { valueOf, clear, isSet } = filters;
  const { data: known } = app.useAnswer('audit.actions', {});
  const labels = useMemo(() => new Map(known?.actions.map(({ action, label }) => [action, label])), [known]);
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
  // Which actions there are is known first: one of the address may be none.
  const list = app.usePages('audit.list', query, { enabled: action === '' || known !== undefined });
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
      <AuditFilters filters={filters} actions={known?.actions ?? []} />
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
              title={t('Nichts passt dazu', 'Nothing matches')}
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
