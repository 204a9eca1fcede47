import { Anchor, Button, Code, Group, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { useConfirm } from '../../kit/dialog.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { Empty, Notice, ProblemAlert, tell } from '../../kit/messages.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { RequestTable } from '../requests/request-table.tsx';
import { endsSoon, KeyState, LastUse, Maker, Prefix, useMaking } from './key-words.tsx';
import { KeptKeyDialog, RotateDialog } from './new-key.tsx';
import type { Shown } from './new-key.tsx';
import { ScopeList } from './scopes.tsx';
import { UsagePanel } from './usage.tsx';

const useRevoke = (key: Key) => {
  const t = useText();
  const locale = useLocale();
  const confirm = useConfirm();
  const revoke = app.useChange('keys.revoke');
  const { requests } = key.since_yesterday;
  const count = requests.toLocaleString(locale);
  const inUse =
    requests === 1
      ? t('Seit gestern kam eine Anfrage mit ihm.', 'One request came with it since yesterday.')
      : t(`Seit gestern kamen ${count} Anfragen mit ihm.`, `${count} requests came with it since yesterday.`);
  return () =>
    confirm({
      title: t(`„${key.name}“ widerrufen?`, `Revoke “${key.name}”?`),
      consequences: (
        <>
          {t(
            'Schon die nächste Anfrage mit diesem Schlüssel bekommt 401. Das lässt sich nicht rückgängig machen.',
            'The very next request with this key gets 401. This can’t be undone.',
          )}{' '}
          {requests > 0 && inUse}{' '}
          {key.rotated_to_id === null &&
            t(
              'Soll das Programm weiterlaufen, lösen Sie den Schlüssel stattdessen ab.',
              'If the program is to go on, replace the key instead.',
            )}
        </>
      ),
      action: t('Widerrufen', 'Revoke'),
      act: async () => {
        await revoke.mutateAsync({ key_id: key.key_id });
        tell(t('Der Schlüssel ist widerrufen.', 'The key is revoked.'));
      },
    });
};

const KeyActions = ({ of, onRotate }: { of: Key; onRotate: () => void }) => {
  const t = useText();
  const { may } = useHere();
  const making = useMaking();
  const revoke = useRevoke(of);
  if (!may('keys') || of.status !== 'active') return null;
  return (
    <>
      {making === 'open' && of.rotated_to_id === null && (
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

const KeyView = ({ of, back }: { of: Key; back: { to: string; label: string } }) => {
  const t = useText();
  const navigate = useNavigate();
  const { data: reference } = app.useAnswer('reference.scopes', {});
  const [rotating, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<Shown>();
  const onRotated = (made: Shown) => {
    close();
    setShown(made);
  };
  const onKept = ({ keyId }: Shown) => {
    setShown(undefined);
    void navigate(`/keys/${keyId}`);
  };
  return (
    <Page title={of.name} back={back} actions={<KeyActions of={of} onRotate={open} />}>
      <KeyNotices of={of} />
      <Panel title={t('Angaben', 'Details')}>
        <KeyFacts of={of} />
      </Panel>
      <UsagePanel keyId={of.key_id} />
      <LatestRequests keyId={of.key_id} />
      <Panel title={t('Was der Schlüssel darf', 'What the key may do')}>
        {reference ? <ScopeList scopes={reference.scopes} chosen={of.scopes} /> : <Skeleton height={120} />}
      </Panel>
      <RotateDialog of={of} opened={rotating} onClose={close} onRotated={onRotated} />
      <KeptKeyDialog title={t('Der neue Schlüssel', 'The new key')} shown={shown} onKept={onKept} />
    </Page>
  );
};

export default function KeyPage() {
  const t = useText();
  const { id = '' } = useParams();
  const { data: key, error, refetch } = app.useAnswer('keys.get', { key_id: id });
  const back = { to: '/keys', label: t('API-Schlüssel', 'API keys') };
  // Another key’s page begins anew, with nothing left open.
  if (key) return <KeyView key={key.key_id} of={key} back={back} />;
  if (problemOf(error)?.code === 'not_found') {
    return (
      <Page title={t('Schlüssel nicht gefunden', 'Key not found')} back={back}>
        <Empty title={t('Diesen Schlüssel gibt es in Ihrem Team nicht', 'Your team has no such key')} />
      </Page>
    );
  }
  return (
    <Page title={t('API-Schlüssel', 'API key')} back={back}>
      {error ? (
        <ProblemAlert error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton height={240} role="status" aria-label={t('Wird geladen', 'Loading')} />
      )}
    </Page>
  );
}

/** What somebody should know or see to about a key. */
const KeyNotices = ({ of }: { of: Key }) => {
  const t = useText();
  const { status, rotated_to_id: next, expires_at: ends, created_by: maker, scopes } = of;
  const isReplaced = status === 'active' && next !== null && ends !== null;
  // Only changing a role needs somebody who vouches for it.
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
      {ends !== null && endsSoon(of) && (
        <Notice tone="warn" title={t('Dieser Schlüssel läuft bald ab', 'This key expires soon')}>
          <Text size="sm">
            {t('Er endet ', 'It ends ')}
            <Time at={ends} />
            {t(
              '. Beim Ablösen bleibt der Ablauftag derselbe; soll es danach weitergehen, legen Sie einen neuen Schlüssel an.',
              '. Replacing it keeps the same day; to go on after it, make a new key.',
            )}
          </Text>
        </Notice>
      )}
      {!vouches && (
        <Notice
          tone="warn"
          title={t(
            'Die Person, die ihn angelegt hat, verwaltet das Team nicht',
            'The person who made it does not administer the team',
          )}
        >
          <Text size="sm">
            {t(
              'Der Schlüssel gilt weiter, kann aber die Rolle Admin weder geben noch nehmen. Wenn Sie ihn ablösen, gilt der neue als von Ihnen angelegt und kann es wieder.',
              'The key still works, but it can’t give or take away the role admin. If you replace it, the new key counts as made by you and can do so again.',
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

const KeyFacts = ({ of }: { of: Key }) => {
  const t = useText();
  const { rotated_from_id: former, rotated_to_id: next } = of;
  const facts: Fact[] = [
    { name: t('Status', 'Status'), value: <KeyState of={of} /> },
    { name: t('Beginnt mit', 'Begins with'), value: <Prefix of={of.prefix} /> },
    {
      name: t('Id des Schlüssels', 'Key id'),
      value: (
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{of.key_id}</Code>
          <Copy value={of.key_id} what={t('Id', 'id')} />
        </Group>
      ),
    },
    { name: t('Angelegt', 'Made'), value: <ExactTime at={of.created_at} /> },
    { name: t('Angelegt von', 'Made by'), value: <Maker of={of} /> },
    { name: t('Zuletzt benutzt', 'Last used'), value: <LastUse of={of} /> },
    {
      name: t('Läuft ab', 'Expires'),
      value: of.expires_at === null ? t('nie', 'never') : <ExactTime at={of.expires_at} />,
    },
    {
      name: t('Erlaubte IP-Adressen', 'Allowed IP addresses'),
      value: of.allowed_ips.length === 0 ? t('alle', 'any') : <Code>{of.allowed_ips.join(', ')}</Code>,
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

const shown = 10;

/** What was asked last with a key. */
const LatestRequests = ({ keyId }: { keyId: string }) => {
  const t = useText();
  const { data, error, refetch } = app.useAnswer('requests.list', { key_id: keyId, limit: shown });
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
