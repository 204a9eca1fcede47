import { Button, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { Empty, ProblemAlert, tell } from '../../kit/messages.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { KeptKeyDialog } from './kept-key-dialog.tsx';
import type { Shown } from './kept-key-dialog.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyNotices } from './key-notices.tsx';
import { LatestRequests } from './latest-requests.tsx';
import { useMaking } from './making.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { ScopeList } from './scope-list.tsx';
import { UsagePanel } from './usage-panel.tsx';

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
