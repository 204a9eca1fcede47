import { useQuery } from '@tanstack/react-query';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { FilterBar } from '../../kit/list/filter-bar.tsx';
import { given, keyIn, optionsOf, rangeNames, useFilters, useRange } from '../../kit/list/filters.tsx';
import { Page } from '../../kit/page/page.tsx';
import { isCutShort } from '../../kit/list/list-rules.ts';
import { SearchedTable } from '../../kit/list/search-further.tsx';
import { t } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { useActionLabels } from './activity.tsx';
import { useEntryTable } from './entries.tsx';
import { filterNames, actorKinds, targetTypes, type AuditActionName } from './words.ts';

const pageSize = 50;

const isAction = (text: string, known: ReadonlyMap<string, string>): text is AuditActionName => known.has(text);

export default function AuditPage() {
  const { team } = useSignedIn();
  const filters = useFilters(...filterNames);
  const { valueOf } = filters;
  const labels = useActionLabels();
  const times = useRange(filters);
  const action = valueOf('action');
  const target_type = keyIn(targetTypes(), valueOf('target_type'));
  const matching = {
    ...times,
    ...(labels && isAction(action, labels) && { action }),
    actor_kind: keyIn(actorKinds(), valueOf('actor_kind')),
    target_type,
    actor_id: given(valueOf('actor_id')),
    target_id: given(valueOf('target_id')),
  };
  const query = { ...matching, limit: pageSize };
  // Waits for the list of actions, because the URL may name an action that does not exist.
  const enabled = action === '' || labels !== undefined;
  const list = usePages(app.audit.list.infiniteQueryOptions(query, { ...nextPage, enabled }));
  const { data: count } = useQuery(app.audit.count.queryOptions(matching, { enabled }));
  const table = useEntryTable();

  return (
    <Page
      title={t('Protokoll', 'Audit log')}
      lead={t(
        'Alle Änderungen im Team. Einträge können nicht geändert oder gelöscht werden.',
        'All changes in the team. Entries can’t be edited or deleted.',
      )}
    >
      <Hint>
        {t('In Splunk, Datadog, Elastic und andere Systeme: ', 'Into Splunk, Datadog, Elastic and other systems: ')}
        <DocsLink page="siem">{t('Anleitung', 'Instructions')}</DocsLink>
      </Hint>
      {!team.privacy.member_detail && (
        <Hint>
          {t(
            'Personenbezogene Daten sind ausgeblendet. Trainings werden nicht aufgeführt, Aufgaben und Fälle ohne Mitglied angezeigt.',
            'Member-level data is hidden. Trainings are not listed, and assignments and cases are shown without the member.',
          )}{' '}
          <TextLink to="/settings">{t('Einstellungen', 'Settings')}</TextLink>
        </Hint>
      )}
      <FilterBar
        list="audit"
        filters={filters}
        rows={list.rows}
        fields={[
          {
            kind: 'choice',
            name: 'action',
            label: t('Aktion', 'Action'),
            options: [...(labels ?? [])].map(([value, label]) => ({ value, label })),
          },
          { kind: 'choice', name: 'actor_kind', label: t('Akteur', 'Actor'), options: optionsOf(actorKinds()) },
          {
            kind: 'member',
            name: 'actor_id',
            label: t('Person', 'Person'),
            by: 'user_id',
            status: 'active',
            former: true,
          },
          { kind: 'choice', name: 'target_type', label: t('Objekt', 'Target'), options: optionsOf(targetTypes()) },
          target_type === 'member' && {
            kind: 'member',
            name: 'target_id',
            label: t('Mitglied', 'Member'),
            by: 'id',
            former: true,
          },
          { kind: 'range', names: rangeNames, label: t('Zeitraum', 'Time range') },
        ]}
        views={[
          { name: t('Heute', 'Today'), filters: { range: 'today' } },
          { name: t('Änderungen an Mitgliedern', 'Changes of members'), filters: { target_type: 'member' } },
        ]}
      >
        <SearchedTable
          label={t('Protokoll', 'Audit log')}
          csv={{ read: (page) => client.app.audit.list.query({ ...query, ...page }) }}
          {...table}
          list={list}
          count={count}
          filters={{ ...filters, what: t('Einträge', 'entries') }}
          none={t('Noch keine Einträge', 'No entries yet')}
          search={{ isUnfinished: isCutShort(list, pageSize), filters: query }}
        />
      </FilterBar>
    </Page>
  );
}
