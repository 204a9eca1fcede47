import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Connection, ListedDeal } from '../../../modules/crm/schema.ts';
import { Cut, Lines, TextInCell } from '../../kit/text/cut.tsx';
import { State, stateOptions } from '../../kit/page/facts.tsx';
import type { StateWords } from '../../kit/page/tones.ts';
import { FilterBar } from '../../kit/list/filter-bar.tsx';
import { given, keyIn, rangeNames, useFilters, useRange, useServerOrder } from '../../kit/list/filters.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { locale, t } from '../../language/language.tsx';
import { ExactNumber } from '../../../core/exact-json.ts';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { amountIn } from './amount.ts';
import { connectionName } from './connection-name.ts';
import { ConnectionOf, isLanguageTag, languageName, categoryName } from './connection-words.tsx';
import { probabilityText } from './figures.ts';

const pageSize = 50;

const serverSorts = ['close_date', 'amount'] as const;

const outcomes = (): Readonly<Record<ListedDeal['outcome'], StateWords>> => ({
  open: ['info', t('Offen', 'Open')],
  won: ['good', t('Gewonnen', 'Won')],
  lost: ['plain', t('Verloren', 'Lost')],
});

const Outcome = ({ deal: { outcome, probability, lost_reason } }: { deal: ListedDeal }) => (
  <Lines
    below={
      outcome === 'open' && probability !== null
        ? probabilityText(probability)
        : lost_reason !== null && <Cut text={lost_reason} />
    }
  >
    <State words={outcomes()[outcome]} />
  </Lines>
);

const Title = ({ deal: { title, external_id } }: { deal: ListedDeal }) => (
  <Lines below={external_id}>
    <Text span size="sm" fw={600}>
      <TextInCell text={title ?? t('Ohne Titel', 'Untitled')} />
    </Text>
  </Lines>
);

/** The deals of all connections, read-only. */
export const DealList = ({ connections }: { connections: readonly Connection[] }) => {
  const filters = useFilters('search', 'outcome', 'connection', ...rangeNames);
  const { valueOf } = filters;
  const matching = {
    search: given(valueOf('search')),
    outcome: keyIn(outcomes(), valueOf('outcome')),
    connection_id: given(valueOf('connection')),
    ...useRange(filters),
  };
  const query = { ...matching, ...useServerOrder(serverSorts), limit: pageSize };
  const list = usePages(app.crm.deals.infiniteQueryOptions(query, nextPage));
  const { data: count } = useQuery(app.crm.countDeals.queryOptions(matching));
  return (
    <FilterBar
      list="deals"
      filters={filters}
      rows={list.rows}
      search={{ name: 'search', label: t('Titel oder CRM-ID suchen', 'Search by title or CRM ID') }}
      fields={[
        { kind: 'choice', name: 'outcome', label: t('Status', 'Status'), options: stateOptions(outcomes()) },
        connections.length > 1 && {
          kind: 'choice',
          name: 'connection',
          label: t('Verbindung', 'Connection'),
          options: connections.map((one) => ({ value: one.connection_id, label: connectionName(one) })),
        },
        { kind: 'range', names: rangeNames, label: t('Abschluss', 'Close date') },
      ]}
      views={[{ name: t('Offene Deals', 'Open deals'), filters: { outcome: 'open' } }]}
    >
      <DataTable
        label="Deals"
        serverSorts={serverSorts}
        filters={{ ...filters, what: t('Deals', 'deals') }}
        csv={{ read: (page) => client.app.crm.deals.query({ ...query, ...page }) }}
        list={list}
        count={count}
        keyOf={({ id }) => id}
        columns={[
          { label: t('Deal-ID', 'Deal ID'), value: ({ id }) => id },
          { label: t('CRM-ID', 'CRM ID'), value: ({ external_id }) => external_id },
          {
            label: 'Deal',
            name: 'title',
            value: ({ title }) => title,
            cell: (deal) => <Title deal={deal} />,
          },
          {
            label: t('Status', 'Status'),
            name: 'status',
            alwaysShown: true,
            value: ({ outcome }) => outcome,
            cell: (deal) => <Outcome deal={deal} />,
          },
          {
            label: t('Betrag', 'Amount'),
            name: 'amount',
            alwaysShown: true,
            value: ({ amount }) => (amount === null ? null : new ExactNumber(amount)),
            align: 'end',
            cell: ({ amount, currency }) => (amount === null ? '–' : amountIn(locale(), amount, currency)),
          },
          { label: t('Währung', 'Currency'), value: ({ currency }) => currency },
          {
            label: t('Abschluss', 'Close date'),
            name: 'close_date',
            value: ({ close_date }) => close_date,
            cell: 'day',
          },
          { label: t('Wahrscheinlichkeit in %', 'Probability in %'), value: ({ probability }) => probability },
          { label: t('Verlustgrund', 'Lost reason'), value: ({ lost_reason }) => lost_reason },
          {
            label: t('Zuständig', 'Owner'),
            name: 'person',
            value: ({ owner }) => owner,
            priority: 1,
            cell: ({ owner }) => owner ?? '–',
          },
          {
            label: t('Verbindung', 'Connection'),
            priority: 3,
            cell: ({ connection_id: id }) => <ConnectionOf connections={connections} id={id} />,
          },
          { label: t('Branche', 'Industry'), value: ({ industry }) => industry },
          { label: t('Letzte Aktivität', 'Last activity'), value: ({ last_activity_at }) => last_activity_at },
          {
            label: t('Zuletzt abgeglichen', 'Last synced'),
            name: 'synced',
            value: ({ synced_at }) => synced_at,
            priority: 2,
            cell: 'time',
          },
        ]}
        none={t('Noch keine Deals', 'No deals yet')}
        hint={t('Deals erscheinen hier nach dem ersten Abgleich.', 'Deals appear here after the first sync.')}
      />
    </FilterBar>
  );
};

/** The objections of all connections, read-only. */
export const ObjectionList = ({ connections }: { connections: readonly Connection[] }) => {
  const list = usePages(app.crm.objections.infiniteQueryOptions({ limit: pageSize }, nextPage));
  const { data: count } = useQuery(app.crm.countObjections.queryOptions({}));
  return (
    <DataTable
      label={t('Einwände', 'Objections')}
      csv={{ read: (page) => client.app.crm.objections.query(page) }}
      list={list}
      count={count}
      keyOf={({ id }) => id}
      columns={[
        { label: t('Einwand-ID', 'Objection ID'), value: ({ id }) => id },
        {
          label: t('Einwand', 'Objection'),
          name: 'text',
          value: ({ text }) => text,
          cell: ({ text, lang }) => (
            <Text span size="sm" fw={500} lineClamp={2} {...(isLanguageTag(lang) && { lang })}>
              {text}
            </Text>
          ),
        },
        {
          label: t('Kategorie', 'Category'),
          name: 'category',
          alwaysShown: true,
          value: ({ category }) => category,
          cell: ({ category }) => categoryName(category),
        },
        { label: t('Deal-ID', 'Deal ID'), value: ({ deal_id }) => deal_id },
        {
          label: 'Deal',
          value: ({ deal_title }) => deal_title,
          cell: ({ deal_title: title }) => title ?? t('Ohne Titel', 'Untitled'),
        },
        {
          label: t('Sprache', 'Language'),
          value: ({ lang }) => lang,
          priority: 2,
          cell: ({ lang }) => languageName(lang),
        },
        {
          label: t('Verbindung', 'Connection'),
          priority: 3,
          cell: ({ connection_id: id }) => <ConnectionOf connections={connections} id={id} />,
        },
        { label: t('Erfasst', 'Recorded'), name: 'raised', value: ({ created_at }) => created_at, cell: 'time' },
      ]}
      none={t('Noch keine Einwände', 'No objections yet')}
      hint={t(
        'Einwände werden aus dem Verlustgrund der Deals sowie aus der Eigenschaft oder den Notizen übernommen, die Sie in der Verbindung festlegen.',
        'Objections are imported from the lost reason of deals, and from the property or notes that you choose in the connection.',
      )}
    />
  );
};
