import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import type { Key } from '../../../modules/keys/schema.ts';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { Lines, TextInCell } from '../../kit/text/cut.tsx';
import { SparkBars } from '../../kit/charts/spark-bars.tsx';
import { LastTime } from '../../kit/text/formats.tsx';
import { FilterBar } from '../../kit/list/filter-bar.tsx';
import { given, useFilters } from '../../kit/list/filters.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { CreateButton } from '../../kit/page/create-button.tsx';
import { Page } from '../../kit/page/page.tsx';
import { DataTable, type Column } from '../../kit/list/table.tsx';
import { t, useLanguage } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { requestsText, usedIn, usedText } from './figures.ts';
import { Expiry, KeyCreationNotice, KeyState, Prefix, ScopeSummary, useKeyCreation } from './key-words.tsx';
import { NewKeyDialog, NewKeyShown, type ShownKey } from './new-key.tsx';

/** The requests of the last days, and their number. */
const Usage = ({ days }: Pick<Key, 'days'>) => {
  const used = usedIn(days);
  return (
    <SparkBars
      days={days.map((day) => ({ all: day.requests, bad: day.errors }))}
      label={usedText(used)}
      caption={requestsText(used.requests)}
    />
  );
};

const useColumns = (): Column<Key>[] => {
  const { data: reference } = useQuery(app.reference.scopes.queryOptions({}));
  return [
    { label: t('Schlüssel-ID', 'Key ID'), value: ({ key_id }) => key_id },
    {
      label: t('Schlüssel', 'Key'),
      name: 'name',
      value: ({ name }) => name,
      cell: (key) => (
        <Lines below={<Prefix prefix={key.prefix} />} always>
          <TextLink to={`/keys/${key.key_id}`} fw={600}>
            <TextInCell text={key.name} />
          </TextLink>
        </Lines>
      ),
    },
    { label: t('Präfix', 'Prefix'), value: ({ prefix }) => prefix },
    {
      label: t('Status', 'Status'),
      name: 'status',
      alwaysShown: true,
      value: ({ status }) => status,
      cell: (key) => <KeyState apiKey={key} />,
    },
    {
      label: t('Berechtigungen', 'Scopes'),
      value: ({ scopes }) => scopes.join(' '),
      priority: 1,
      cell: ({ scopes }) => <ScopeSummary scopes={scopes} {...(reference && { reference })} />,
    },
    { label: t('Erlaubte Adressen', 'Allowed addresses'), value: ({ allowed_ips }) => allowed_ips.join(' ') },
    { label: t('Angelegt', 'Created'), value: ({ created_at }) => created_at },
    {
      label: t('Angelegt von', 'Created by'),
      name: 'created_by',
      value: ({ created_by }) => created_by.email,
      sortBy: ({ created_by: { name, email } }) => name ?? email,
      priority: 4,
      cell: ({ created_by: { name, email } }) => name ?? email,
    },
    {
      label: t('Zuletzt verwendet', 'Last used'),
      name: 'last_used',
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at: at }) => <LastTime at={at} />,
    },
    { label: t('Als gefunden gemeldet', 'Reported as found'), value: ({ reported_at }) => reported_at },
    {
      label: t('Läuft ab', 'Expires'),
      name: 'expires',
      value: ({ expires_at }) => expires_at,
      cell: (key) => <Expiry apiKey={key} />,
    },
    { label: t('30 Tage', '30 days'), priority: 3, cell: ({ days }) => <Usage days={days} /> },
  ];
};

/** The list of all keys. It is not rendered again when a dialog opens, which would delay the dialog. */
const KeyList = memo(({ onNew }: { onNew: () => void }) => {
  useLanguage();
  const creation = useKeyCreation();
  const columns = useColumns();
  const filters = useFilters('search');
  // If there is no search, the page has already loaded this list.
  const wanted = { search: given(filters.valueOf('search')) };
  const list = usePages(app.keys.list.infiniteQueryOptions(wanted, nextPage));
  return (
    <DataTable
      label={t('API-Schlüssel des Teams', 'Team API keys')}
      csv={{ read: (page) => client.app.keys.list.query({ ...wanted, ...page }) }}
      filters={{ ...filters, what: t('Schlüssel', 'keys') }}
      columns={columns}
      list={list}
      keyOf={({ key_id }) => key_id}
      none={t('Noch keine Schlüssel', 'No keys yet')}
      hint={t(
        'Mit einem API-Schlüssel greifen Ihre Anwendungen auf die API zu, zum Beispiel um Aufgaben aus dem CRM zuzuweisen oder Ergebnisse auszuwerten.',
        'Your applications use an API key to access the API, for example to create assignments from your CRM or to report on results.',
      )}
      action={
        creation === 'allowed' && (
          <CreateButton label={t('Ersten Schlüssel anlegen', 'Create first key')} onClick={onNew} />
        )
      }
    />
  );
});

export default function KeysPage() {
  const creation = useKeyCreation();
  const list = usePages(app.keys.list.infiniteQueryOptions({}, nextPage));
  const filters = useFilters('search');
  const [opened, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<ShownKey>();
  const onCreated = (created: ShownKey) => {
    close();
    setShown(created);
  };
  const isNew = list.rows?.length === 0;
  return (
    <Page
      title={t('API-Schlüssel', 'API keys')}
      lead={t(
        'Anwendungen erhalten mit API-Schlüsseln Zugriff auf die Teamdaten.',
        'Applications use API keys to access the team’s data.',
      )}
      actions={
        creation === 'allowed' && !isNew ? (
          <CreateButton label={t('Neuer Schlüssel', 'New key')} onClick={open} />
        ) : undefined
      }
    >
      <WaitingDrafts of={[{ name: 'key', what: t('Neuer Schlüssel', 'New key'), open }]} />
      <KeyCreationNotice creation={creation} />
      <FilterBar
        list="keys"
        filters={filters}
        rows={list.rows}
        search={{ name: 'search', label: t('Name oder Präfix', 'Name or prefix') }}
      >
        <KeyList onNew={open} />
      </FilterBar>
      <Hint>
        {t('Neu bei der API? Lesen Sie den ', 'New to the API? Read the ')}
        <DocsLink page="quick-start">{t('Schnellstart', 'quick start')}</DocsLink>
        {t(' oder die ', ' or the ')}
        <DocsLink page="reference">{t('Referenz', 'reference')}</DocsLink>.
      </Hint>
      {!isNew && (
        <Hint>
          {t('Alle Anfragen mit diesen Schlüsseln finden Sie unter ', 'All requests with these keys are in the ')}
          <TextLink to="/requests">{t('Anfragen', 'request log')}</TextLink>.
        </Hint>
      )}
      <NewKeyDialog opened={opened} onClose={close} onCreated={onCreated} />
      <NewKeyShown title={t('Ihr neuer Schlüssel', 'Your new key')} shown={shown} onClose={() => setShown(undefined)} />
    </Page>
  );
}
