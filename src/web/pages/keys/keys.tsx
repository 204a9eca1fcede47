import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { DocsLink } from '../../kit/docs-link.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import type { Column } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import {
  Creator,
  Expiry,
  KeyCreationNotice,
  KeyState,
  LastUse,
  Prefix,
  ScopeSummary,
  useKeyCreation,
} from './key-words.tsx';
import { NewKeyDialog, NewKeyShown } from './new-key.tsx';
import type { ShownKey } from './new-key.tsx';

const useColumns = (): Column<Key>[] => {
  const t = useText();
  const locale = useLocale();
  const { data: reference } = app.useQuery('reference.scopes', {});
  return [
    {
      label: t('Schlüssel', 'Key'),
      cell: (key) => (
        <Stack gap={2} align="flex-start">
          <Anchor component={Link} to={`/keys/${key.key_id}`} fw={600} size="sm">
            {key.name}
          </Anchor>
          <Prefix prefix={key.prefix} />
        </Stack>
      ),
    },
    { label: t('Status', 'Status'), cell: (key) => <KeyState apiKey={key} /> },
    {
      label: t('Darf', 'May'),
      cell: ({ scopes }) => <ScopeSummary scopes={scopes} {...(reference && { reference })} />,
    },
    { label: t('Angelegt von', 'Created by'), cell: (key) => <Creator apiKey={key} /> },
    { label: t('Zuletzt benutzt', 'Last used'), cell: (key) => <LastUse apiKey={key} /> },
    { label: t('Läuft ab', 'Expires'), cell: (key) => <Expiry apiKey={key} /> },
    {
      label: t('Seit gestern', 'Since yesterday'),
      align: 'end',
      cell: ({ since_yesterday: { requests } }) => (
        <span style={{ whiteSpace: 'nowrap' }}>
          {requests === 1
            ? t('1 Anfrage', '1 request')
            : t(`${requests.toLocaleString(locale)} Anfragen`, `${requests.toLocaleString(locale)} requests`)}
        </span>
      ),
    },
  ];
};

const NoKeys = ({ onNew }: { onNew: (() => void) | undefined }) => {
  const t = useText();
  return (
    <Empty
      title={t('Noch kein Schlüssel', 'No key yet')}
      action={onNew && <Button onClick={onNew}>{t('Ersten Schlüssel anlegen', 'Create the first key')}</Button>}
    >
      {t(
        'Mit einem Schlüssel spricht ein Programm mit der API: zum Beispiel Ihr CRM, das Aufgaben vergibt, oder ein Bericht, der Ergebnisse liest. Nach dem Anlegen sehen Sie eine Zeile, mit der Sie ihn gleich ausprobieren.',
        'A key lets a program talk to the API: your CRM giving assignments, for instance, or a report reading results. After creating it you get a command to try it with.',
      )}
    </Empty>
  );
};

export default function KeysPage() {
  const t = useText();
  const navigate = useNavigate();
  const creation = useKeyCreation();
  const columns = useColumns();
  const list = app.usePages('keys.list', {});
  const [opened, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<ShownKey>();
  const onCreated = (created: ShownKey) => {
    close();
    setShown(created);
  };
  const onSaved = ({ keyId }: ShownKey) => {
    setShown(undefined);
    void navigate(`/keys/${keyId}`);
  };
  const isNew = list.rows?.length === 0;
  return (
    <Page
      title={t('API-Schlüssel', 'API keys')}
      lead={t(
        'Programme weisen sich bei der API mit einem Schlüssel aus. Er gehört dem Team, nicht einer Person.',
        'Programs use a key to authenticate with the API. A key belongs to the team, not to a person.',
      )}
      actions={
        creation === 'allowed' && !isNew ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            {t('Neuer Schlüssel', 'New key')}
          </Button>
        ) : undefined
      }
    >
      <KeyCreationNotice creation={creation} />
      <DataTable
        label={t('API-Schlüssel des Teams', 'The team’s API keys')}
        columns={columns}
        rows={list.rows}
        keyOf={({ key_id }) => key_id}
        error={list.error}
        retry={() => void list.refetch()}
        more={list}
        empty={<NoKeys onNew={creation === 'allowed' ? open : undefined} />}
      />
      <Text size="sm" c="dimmed">
        {t(
          'In zehn Minuten zur ersten Anfrage und zum ersten Webhook: ',
          'To the first request and the first webhook in ten minutes: ',
        )}
        <DocsLink page="quick-start">{t('Schnellstart', 'Quick start')}</DocsLink>
        {t('. Jede Route zum Ausprobieren: ', '. Every route, to be tried: ')}
        <DocsLink page="reference">{t('Referenz', 'Reference')}</DocsLink>.
      </Text>
      {!isNew && (
        <Text size="sm" c="dimmed">
          {t('Alle Anfragen mit diesen Schlüsseln stehen unter ', 'All requests with these keys are in the ')}
          <Anchor component={Link} to="/requests">
            {t('Anfragen', 'request log')}
          </Anchor>
          .
        </Text>
      )}
      <NewKeyDialog opened={opened} onClose={close} onCreated={onCreated} />
      <NewKeyShown title={t('Ihr neuer Schlüssel', 'Your new key')} shown={shown} onSaved={onSaved} />
    </Page>
  );
}
