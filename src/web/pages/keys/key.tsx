import { Button, Code, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { idFact } from '../../kit/text/copy.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Facts, type Fact } from '../../kit/page/facts.tsx';
import { ExactTime, LastTime, Time } from '../../kit/text/formats.tsx';
import { Notice } from '../../kit/page/messages.tsx';
import { Detail, Page, Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { RequestTable } from '../requests/request-table.tsx';
import { KeyState, Prefix, useKeyCreation } from './key-words.tsx';
import { expiresSoon } from './expiry.ts';
import { foundAdvice, isBeingReplaced, isLimited, isReported } from './key-state.ts';
import { NewKeyShown, RotateForm, type ShownKey } from './new-key.tsx';
import { actionsOn } from './rights.ts';
import { ScopeList } from './scopes.tsx';
import { UsagePanel, UsesPanel, WouldBreak } from './uses.tsx';

const useRevoke = (apiKey: Key) => {
  const confirm = useConfirm();
  return () =>
    confirm({
      title: t(`„${apiKey.name}“ widerrufen?`, `Revoke “${apiKey.name}”?`),
      consequences: (
        <>
          {t(
            'Anfragen mit diesem Schlüssel werden sofort abgelehnt (401). Das kann nicht rückgängig gemacht werden.',
            'Requests with this key will be rejected immediately (401). This can’t be undone.',
          )}{' '}
          {apiKey.rotated_to_id === null &&
            t(
              'Um die Anwendung ohne Unterbrechung weiterzubetreiben, rotieren Sie den Schlüssel stattdessen.',
              'To keep the application running, rotate the key instead.',
            )}
          <WouldBreak keyId={apiKey.key_id} />
        </>
      ),
      typed: apiKey.name,
      action: t('Widerrufen', 'Revoke'),
      act: () => client.app.keys.revoke.mutate({ key_id: apiKey.key_id }),
      done: t('Schlüssel widerrufen.', 'Key revoked.'),
    });
};

const KeyActions = ({ apiKey, onRotate }: { apiKey: Key; onRotate: () => void }) => {
  const { may } = useSignedIn();
  const creation = useKeyCreation();
  const revoke = useRevoke(apiKey);
  const can = actionsOn(apiKey, creation, may);
  return (
    <>
      {can.rotate && <Button onClick={onRotate}>{t('Rotieren', 'Rotate')}</Button>}
      {can.revoke && (
        <Button c="var(--bad)" onClick={revoke}>
          {t('Widerrufen', 'Revoke')}
        </Button>
      )}
    </>
  );
};

const back = () => ({ to: '/keys', label: t('API-Schlüssel', 'API keys') });

const KeyView = ({ apiKey }: { apiKey: Key }) => {
  const { data: reference } = useQuery(app.reference.scopes.queryOptions({}));
  const [rotating, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<ShownKey>();
  const onRotated = (created: ShownKey) => {
    close();
    setShown(created);
  };
  return (
    <Page title={apiKey.name} back={back()} actions={<KeyActions apiKey={apiKey} onRotate={open} />}>
      <KeyNotices apiKey={apiKey} />
      <Panel title={t('Schlüssel', 'Key')}>
        <KeyFacts apiKey={apiKey} />
      </Panel>
      <UsagePanel keyId={apiKey.key_id} />
      <UsesPanel keyId={apiKey.key_id} />
      <LatestRequests keyId={apiKey.key_id} />
      <Panel title={t('Berechtigungen', 'Scopes')}>
        {reference ? <ScopeList scopes={reference.scopes} chosen={apiKey.scopes} /> : <Skeleton height={120} />}
      </Panel>
      <Dialog title={t(`„${apiKey.name}“ rotieren`, `Rotate “${apiKey.name}”`)} opened={rotating} onClose={close}>
        <RotateForm apiKey={apiKey} onClose={close} onRotated={onRotated} />
      </Dialog>
      <NewKeyShown title={t('Neuer Schlüssel', 'New key')} shown={shown} onClose={() => setShown(undefined)} />
    </Page>
  );
};

export default function KeyPage() {
  const { id = '' } = useParams();
  const query = useQuery(app.keys.get.queryOptions({ key_id: id }));
  return (
    <Detail
      title={t('API-Schlüssel', 'API key')}
      back={back()}
      query={query}
      missing={t('Schlüssel nicht gefunden', 'Key not found')}
      advice={t('Vielleicht gehört er zu einem anderen Team.', 'It may belong to another team.')}
    >
      {/* The `key` closes all dialogs when another API key is opened. */}
      {(apiKey) => <KeyView key={apiKey.key_id} apiKey={apiKey} />}
    </Detail>
  );
}

/** Warnings about a key: it was found, is being replaced, expires soon, or its creator is no longer an admin. */
const KeyNotices = ({ apiKey }: { apiKey: Key }) => {
  const { rotated_to_id: next, expires_at: ends, reported_at: reportedAt } = apiKey;
  return (
    <>
      {reportedAt !== null && isReported(apiKey) && (
        <Notice tone="bad" title={t('Dieser Schlüssel wurde gefunden', 'This key was found')}>
          {t('Jemand hat ihn gefunden und gemeldet, zuletzt ', 'Somebody has found and reported it, last ')}
          <ExactTime at={reportedAt} />. {foundAdvice(apiKey)}
        </Notice>
      )}
      {isBeingReplaced(apiKey) && ends !== null && (
        <Notice tone="info" title={t('Dieser Schlüssel wird rotiert', 'This key is being rotated')}>
          {t('Er ist noch gültig bis ', 'It stays valid until ')}
          <ExactTime at={ends} />
          {t('. Stellen Sie Ihre Anwendungen bis dahin auf ', '. Switch your applications to ')}
          <TextLink to={`/keys/${next}`} inherit>
            {t('den neuen Schlüssel', 'the new key')}
          </TextLink>
          {t(
            ' um. Unter „Letzte Anfragen“ sehen Sie, ob der alte noch verwendet wird.',
            ' before then. “Latest requests” shows whether the old key is still in use.',
          )}
        </Notice>
      )}
      {ends !== null && expiresSoon(apiKey) && (
        <Notice tone="warn" title={t('Dieser Schlüssel läuft bald ab', 'This key expires soon')}>
          {t('Er läuft ab ', 'It expires ')}
          <Time at={ends} />
          {t(
            '. Durch das Rotieren ändert sich das Ablaufdatum nicht. Legen Sie einen neuen Schlüssel an, wenn Sie ihn länger benötigen.',
            '. Rotating it does not change the expiry date. Create a new key if you need it for longer.',
          )}
        </Notice>
      )}
      {isLimited(apiKey) && (
        <Notice
          tone="warn"
          title={t('Eingeschränkt: Der Ersteller ist kein Admin mehr', 'Limited: its creator is no longer an admin')}
        >
          {t(
            'Der Schlüssel bleibt gültig, kann aber die Rolle Admin nicht mehr vergeben oder entziehen. Rotieren Sie ihn, um das zu ändern: Der neue Schlüssel gilt als von Ihnen angelegt.',
            'The key stays valid, but can no longer grant or revoke the admin role. Rotate it to change that: the new key counts as created by you.',
          )}
        </Notice>
      )}
    </>
  );
};

const KeyLink = ({ id, children }: { id: string; children: string }) => (
  <TextLink to={`/keys/${id}`}>{children}</TextLink>
);

const Creator = ({ name, email }: Key['created_by']) => (
  <>
    {name ?? email}
    {name !== null && <Hint size="xs">{email}</Hint>}
  </>
);

const KeyFacts = ({ apiKey }: { apiKey: Key }) => {
  const { rotated_from_id: former, rotated_to_id: next } = apiKey;
  const facts: (Fact | false)[] = [
    { name: t('Status', 'Status'), value: <KeyState apiKey={apiKey} /> },
    { name: t('Präfix', 'Prefix'), value: <Prefix prefix={apiKey.prefix} />, alone: 'when narrow' },
    idFact(apiKey.key_id, t('Schlüssel-ID', 'Key ID')),
    { name: t('Angelegt', 'Created'), value: <ExactTime at={apiKey.created_at} /> },
    { name: t('Angelegt von', 'Created by'), value: <Creator {...apiKey.created_by} />, alone: 'when narrow' },
    { name: t('Zuletzt verwendet', 'Last used'), value: <LastTime at={apiKey.last_used_at} /> },
    {
      name: t('Läuft ab', 'Expires'),
      value: apiKey.expires_at === null ? t('Nie', 'Never') : <ExactTime at={apiKey.expires_at} />,
    },
    {
      name: t('Erlaubte IP-Adressen', 'Allowed IP addresses'),
      value: apiKey.allowed_ips.length === 0 ? t('Alle', 'Any') : <Code>{apiKey.allowed_ips.join(', ')}</Code>,
    },
    former !== null && {
      name: t('Ersetzt', 'Replaces'),
      value: <KeyLink id={former}>{t('den bisherigen Schlüssel', 'the previous key')}</KeyLink>,
    },
    next !== null && {
      name: t('Ersetzt durch', 'Replaced by'),
      value: <KeyLink id={next}>{t('den neuen Schlüssel', 'the new key')}</KeyLink>,
    },
  ];
  return <Facts sideBySide facts={facts} />;
};

const maxRequests = 10;

const LatestRequests = ({ keyId }: { keyId: string }) => {
  const query = useQuery(app.requests.list.queryOptions({ key_id: keyId, limit: maxRequests }));
  return (
    <Panel
      title={t('Letzte Anfragen', 'Latest requests')}
      link={{
        to: `/requests?key=${encodeURIComponent(keyId)}`,
        label: t('Alle Anfragen mit diesem Schlüssel', 'All requests with this key'),
      }}
    >
      <RequestTable
        label={t('Letzte Anfragen mit diesem Schlüssel', 'Latest requests with this key')}
        list={{ ...query, rows: query.data?.data }}
        none={t('Noch keine Anfragen mit diesem Schlüssel', 'No requests with this key yet')}
      />
    </Panel>
  );
};
