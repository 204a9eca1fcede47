import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { Empty } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import type { Column } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { Expiry, KeyState, LastUse, Maker, MakingNotice, Prefix, ScopesInShort, useMaking } from './key-words.tsx';
import { KeptKeyDialog, NewKeyDialog } from './new-key.tsx';
import type { Shown } from './new-key.tsx';

const useColumns = (): Column<Key>[] => {
  const t = useText();
  const locale = useLocale();
  const { data: reference } = app.useAnswer('reference.scopes', {});
  return [
    {
      label: t('Schlüssel', 'Key'),
      cell: (key) => (
        <Stack gap={2} align="flex-start">
          <Anchor component={Link} to={`/keys/${key.key_id}`} fw={600} size="sm">
            {key.name}
          </Anchor>
          <Prefix of={key.prefix} />
        </Stack>
      ),
    },
    { label: t('Status', 'Status'), cell: (key) => <KeyState of={key} /> },
    {
      label: t('Darf', 'May'),
      cell: ({ scopes }) => <ScopesInShort scopes={scopes} {...(reference && { reference })} />,
    },
    { label: t('Angelegt von', 'Made by'), cell: (key) => <Maker of={key} /> },
    { label: t('Zuletzt benutzt', 'Last used'), cell: (key) => <LastUse of={key} /> },
    { label: t('Läuft ab', 'Expires'), cell: (key) => <Expiry of={key} /> },
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
      action={onNew && <Button onClick={onNew}>{t('Ersten Schlüssel anlegen', 'Make the first key')}</Button>}
    >
      {t(
        'Mit einem Schlüssel spricht ein Programm mit der API: zum Beispiel Ihr CRM, das Aufgaben vergibt, oder ein Bericht, der Ergebnisse liest. Nach dem Anlegen sehen Sie eine Zeile, mit der Sie ihn gleich ausprobieren.',
        'A key lets a program talk to the API: your CRM giving assignments, for instance, or a report reading results. Once it is made you get a line to try it with at once.',
      )}
    </Empty>
  );
};

export default function KeysPage() {
  const t = useText();
  const navigate = useNavigate();
  const making = useMaking();
  const columns = useColumns();
  const list = app.usePages('keys.list', {});
  const [opened, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<Shown>();
  const onMade = (made: Shown) => {
    close();
    setShown(made);
  };
  const onKept = ({ keyId }: Shown) => {
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
        making === 'open' && !isNew ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            {t('Neuer Schlüssel', 'New key')}
          </Button>
        ) : undefined
      }
    >
      <MakingNotice making={making} />
      <DataTable
        label={t('API-Schlüssel des Teams', 'The team’s API keys')}
        columns={columns}
        rows={list.rows}
        keyOf={({ key_id }) => key_id}
        error={list.error}
        retry={() => void list.refetch()}
        more={list}
        empty={<NoKeys onNew={making === 'open' ? open : undefined} />}
      />
      {!isNew && (
        <Text size="sm" c="dimmed">
          {t('Alle Anfragen mit diesen Schlüsseln stehen unter ', 'All requests with these keys are in the ')}
          <Anchor component={Link} to="/requests">
            {t('Anfragen', 'request log')}
          </Anchor>
          .
        </Text>
      )}
      <NewKeyDialog opened={opened} onClose={close} onMade={onMade} />
      <KeptKeyDialog title={t('Ihr neuer Schlüssel', 'Your new key')} shown={shown} onKept={onKept} />
    </Page>
  );
}
