import { Anchor, Button, Code, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { CopyableId } from '../../kit/copy.tsx';
import { useConfirm } from '../../kit/dialog.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { Empty, Notice, notify } from '../../kit/messages.tsx';
import { DetailState, Page, Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { RequestTable } from '../requests/request-table.tsx';
import { Creator, expiresSoon, KeyState, LastUse, Prefix, useKeyCreation } from './key-words.tsx';
import { NewKeyShown, RotateDialog } from './new-key.tsx';
import type { ShownKey } from './new-key.tsx';
import { ScopeList } from './scopes.tsx';
import { UsagePanel } from './usage.tsx';

const useRevoke = (apiKey: Key) => {
  const t = useText();
  const locale = useLocale();
  const confirm = useConfirm();
  const revoke = app.useMutation('keys.revoke');
  const { requests } = apiKey.since_yesterday;
  const count = requests.toLocaleString(locale);
  const inUse =
    requests === 1
      ? t('Seit gestern kam eine Anfrage mit ihm.', 'One request came with it since yesterday.')
      : t(`Seit gestern kamen ${count} Anfragen mit ihm.`, `${count} requests came with it since yesterday.`);
  return () =>
    confirm({
      title: t(`„${apiKey.name}“ widerrufen?`, `Revoke “${apiKey.name}”?`),
      consequences: (
        <>
          {t(
            'Schon die nächste Anfrage mit diesem Schlüssel bekommt 401. Das lässt sich nicht rückgängig machen.',
            'The very next request with this key gets 401. This can’t be undone.',
          )}{' '}
          {requests > 0 && inUse}{' '}
          {apiKey.rotated_to_id === null &&
            t(
              'Soll das Programm weiterlaufen, lösen Sie den Schlüssel stattdessen ab.',
              'If the program must continue to work, replace the key instead.',
            )}
        </>
      ),
      action: t('Widerrufen', 'Revoke'),
      act: async () => {
        await revoke.mutateAsync({ key_id: apiKey.key_id });
        notify(t('Der Schlüssel ist widerrufen.', 'The key is revoked.'));
      },
    });
};

const KeyActions = ({ apiKey, onRotate }: { apiKey: Key; onRotate: () => void }) => {
  const t = useText();
  const { may } = useSignedIn();
  const creation = useKeyCreation();
  const revoke = useRevoke(apiKey);
  if (!may('keys') || apiKey.status !== 'active') return null;
  return (
    <>
      {creation === 'allowed' && apiKey.rotated_to_id === null && (
        <Button variant="default" onClick={onRotate}>
          {t('Ablösen', 'Replace')}
        </Button>
      )}
      <Button variant="default" c="var(--bad)" onClick={revoke}>
        {t('Widerrufen', 'Revoke')}
      </Button>
    </>
  );
};

const KeyView = ({ apiKey, back }: { apiKey: Key; back: { to: string; label: string } }) => {
  const t = useText();
  const navigate = useNavigate();
  const { data: reference } = app.useQuery('reference.scopes', {});
  const [rotating, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<ShownKey>();
  const onRotated = (created: ShownKey) => {
    close();
    setShown(created);
  };
  const onSaved = ({ keyId }: ShownKey) => {
    setShown(undefined);
    void navigate(`/keys/${keyId}`);
  };
  return (
    <Page title={apiKey.name} back={back} actions={<KeyActions apiKey={apiKey} onRotate={open} />}>
      <KeyNotices apiKey={apiKey} />
      <Panel title={t('Angaben', 'Details')}>
        <KeyFacts apiKey={apiKey} />
      </Panel>
      <UsagePanel keyId={apiKey.key_id} />
      <LatestRequests keyId={apiKey.key_id} />
      <Panel title={t('Was der Schlüssel darf', 'What the key may do')}>
        {reference ? <ScopeList scopes={reference.scopes} chosen={apiKey.scopes} /> : <Skeleton height={120} />}
      </Panel>
      <RotateDialog apiKey={apiKey} opened={rotating} onClose={close} onRotated={onRotated} />
      <NewKeyShown title={t('Der neue Schlüssel', 'The new key')} shown={shown} onSaved={onSaved} />
    </Page>
  );
};

export default function KeyPage() {
  const t = useText();
  const { id = '' } = useParams();
  const { data: apiKey, error, refetch } = app.useQuery('keys.get', { key_id: id });
  const back = { to: '/keys', label: t('API-Schlüssel', 'API keys') };
  // The `key` closes all dialogs when another API key is opened.
  if (apiKey) return <KeyView key={apiKey.key_id} apiKey={apiKey} back={back} />;
  return (
    <Page title={t('API-Schlüssel', 'API key')} back={back}>
      <DetailState
        error={error}
        retry={() => void refetch()}
        missing={
          problemOf(error)?.code === 'not_found'
            ? {
                title: t('Diesen Schlüssel gibt es nicht', 'There is no such key'),
                advice: t('Vielleicht gehört er zu einem anderen Team.', 'It may belong to another team.'),
              }
            : undefined
        }
      />
    </Page>
  );
}

/** Warnings about a key: it is being replaced, expires soon, or its creator is no longer an admin. */
const KeyNotices = ({ apiKey }: { apiKey: Key }) => {
  const t = useText();
  const { status, rotated_to_id: next, expires_at: ends, created_by: maker, scopes } = apiKey;
  const isReplaced = status === 'active' && next !== null && ends !== null;
  // A key changes roles in the name of the person who created it. All other scopes do not depend on that person.
  const vouches = maker.vouches || status !== 'active' || !scopes.includes('users:write');
  return (
    <>
      {isReplaced && (
        <Notice tone="info" title={t('Dieser Schlüssel wird abgelöst', 'This key is being replaced')}>
          <Text size="sm">
            {t('Er gilt noch bis ', 'It works until ')}
            <ExactTime at={ends} />
            {t('. Tragen Sie bis dahin überall ', '. Until then, put ')}
            <Anchor component={Link} to={`/keys/${next}`} inherit>
              {t('den neuen', 'the new one')}
            </Anchor>
            {t(
              ' ein; unten sehen Sie, ob der alte noch benutzt wird.',
              ' everywhere; below you see whether the old one is still in use.',
            )}
          </Text>
        </Notice>
      )}
      {ends !== null && expiresSoon(apiKey) && (
        <Notice tone="warn" title={t('Dieser Schlüssel läuft bald ab', 'This key expires soon')}>
          <Text size="sm">
            {t('Er endet ', 'It ends ')}
            <Time at={ends} />
            {t(
              '. Beim Ablösen bleibt der Ablauftag derselbe; soll es danach weitergehen, legen Sie einen neuen Schlüssel an.',
              '. Replacing it keeps the same day; to go on after it, create a new key.',
            )}
          </Text>
        </Notice>
      )}
      {!vouches && (
        <Notice
          tone="warn"
          title={t(
            'Die Person, die ihn angelegt hat, verwaltet das Team nicht',
            'The person who created it does not administer the team',
          )}
        >
          <Text size="sm">
            {t(
              'Der Schlüssel gilt weiter, kann aber die Rolle Admin weder geben noch nehmen. Wenn Sie ihn ablösen, gilt der neue als von Ihnen angelegt und kann es wieder.',
              'The key still works, but it can’t give or take away the role admin. If you replace it, the new key counts as created by you and can do so again.',
            )}
          </Text>
        </Notice>
      )}
    </>
  );
};

const KeyLink = ({ id, children }: { id: string; children: string }) => (
  <Anchor component={Link} to={`/keys/${id}`} size="sm">
    {children}
  </Anchor>
);

const KeyFacts = ({ apiKey }: { apiKey: Key }) => {
  const t = useText();
  const { rotated_from_id: former, rotated_to_id: next } = apiKey;
  const facts: Fact[] = [
    { name: t('Status', 'Status'), value: <KeyState apiKey={apiKey} /> },
    { name: t('Beginnt mit', 'Begins with'), value: <Prefix prefix={apiKey.prefix} /> },
    {
      name: t('Id des Schlüssels', 'Key id'),
      value: <CopyableId id={apiKey.key_id} what={t('Id', 'id')} />,
    },
    { name: t('Angelegt', 'Created'), value: <ExactTime at={apiKey.created_at} /> },
    { name: t('Angelegt von', 'Created by'), value: <Creator apiKey={apiKey} /> },
    { name: t('Zuletzt benutzt', 'Last used'), value: <LastUse apiKey={apiKey} /> },
    {
      name: t('Läuft ab', 'Expires'),
      value: apiKey.expires_at === null ? t('nie', 'never') : <ExactTime at={apiKey.expires_at} />,
    },
    {
      name: t('Erlaubte IP-Adressen', 'Allowed IP addresses'),
      value: apiKey.allowed_ips.length === 0 ? t('alle', 'any') : <Code>{apiKey.allowed_ips.join(', ')}</Code>,
    },
  ];
  if (former !== null) {
    facts.push({
      name: t('Löst ab', 'Replaces'),
      value: <KeyLink id={former}>{t('den früheren Schlüssel', 'the former key')}</KeyLink>,
    });
  }
  if (next !== null) {
    facts.push({
      name: t('Abgelöst durch', 'Replaced by'),
      value: <KeyLink id={next}>{t('den neuen Schlüssel', 'the new key')}</KeyLink>,
    });
  }
  return <Facts facts={facts} />;
};

const maxRequests = 10;

/** The latest requests with a key. */
const LatestRequests = ({ keyId }: { keyId: string }) => {
  const t = useText();
  const { data, error, refetch } = app.useQuery('requests.list', { key_id: keyId, limit: maxRequests });
  return (
    <Panel
      title={t('Letzte Anfragen', 'Latest requests')}
      actions={
        <Anchor component={Link} to={`/requests?key=${encodeURIComponent(keyId)}`} size="sm">
          {t('Alle Anfragen mit diesem Schlüssel', 'All requests with this key')}
        </Anchor>
      }
    >
      <RequestTable
        label={t('Letzte Anfragen mit diesem Schlüssel', 'Latest requests with this key')}
        rows={data?.data}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title={t('Noch keine Anfrage mit diesem Schlüssel', 'No request with this key yet')} />}
      />
    </Panel>
  );
};
