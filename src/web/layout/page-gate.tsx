import { Button, Center, Loader, Modal, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import type { ReactNode } from 'react';
import { Link, useRouteError } from 'react-router';
import { Empty } from '../kit/messages.tsx';
import { Page } from '../kit/page.tsx';
import { useLocale, useText } from '../language/language.tsx';
import { useMaintenance, waitForServer } from '../server/maintenance.ts';
import { useSignedIn } from '../session/signed-in.tsx';
import type { Permission } from '../session/signed-in.tsx';
import { Logo } from './shell.tsx';

const Opening = () => {
  const t = useText();
  return (
    <Stack role="status" aria-label={t('Wird geladen', 'Loading')}>
      <Skeleton height={32} width={240} />
      <Skeleton height={180} />
    </Stack>
  );
};

const Suspended = () => {
  const t = useText();
  return (
    <Empty title={t('Dieses Team ist gesperrt', 'This team is suspended')}>
      {t(
        'Seine Seiten, API-Schlüssel und Webhooks sind gesperrt; die Daten bleiben erhalten. Der Betreiber der Plattform kann das Team wieder freigeben.',
        'Its pages, API keys and webhooks are blocked; the data is kept. The operator of the platform can reactivate the team.',
      )}
    </Empty>
  );
};

/** Loaded separately, because hardly anybody sees it here. */
const Export = lazy(async () => ({ default: (await import('../pages/settings/export.tsx')).Export }));

const Ended = ({ deletionAt, isOwner }: { deletionAt: string | null; isOwner: boolean }) => {
  const t = useText();
  const locale = useLocale();
  const day = deletionAt === null ? undefined : new Date(deletionAt).toLocaleDateString(locale, { dateStyle: 'long' });
  return (
    <Empty title={t('Dieses Team wurde beendet', 'This team has ended')}>
      {day === undefined
        ? t('Alle Daten des Teams werden gelöscht.', 'All data of the team will be deleted.')
        : t(`Am ${day} werden alle Daten des Teams gelöscht.`, `All data of the team will be deleted on ${day}.`)}{' '}
      {isOwner
        ? t(
            'Bis dahin können Sie die Daten exportieren, und der Betreiber der Plattform kann das Team wieder freigeben.',
            'Until then you can export the data, and the operator of the platform can reactivate the team.',
          )
        : t(
            'Bis dahin kann der Betreiber der Plattform das Team wieder freigeben. Der Inhaber kann die Daten exportieren.',
            'Until then the operator of the platform can reactivate the team. The owner can export the data.',
          )}
    </Empty>
  );
};

const BeingDeleted = () => {
  const t = useText();
  return (
    <Empty title={t('Dieses Team wurde beendet', 'This team has ended')}>
      {t('Die Daten des Teams werden gerade gelöscht.', 'The data of the team is being deleted.')}
    </Empty>
  );
};

/** Shown instead of the pages of a suspended or ended team. */
const Inactive = () => {
  const { team, may } = useSignedIn();
  if (team.is_being_deleted) return <BeingDeleted />;
  return (
    <>
      {team.status === 'ended' ? <Ended deletionAt={team.deletion_at} isOwner={may('owner')} /> : <Suspended />}
      {may('owner') && (
        <Suspense fallback={<Opening />}>
          <Export hasMemberDetail={team.privacy.member_detail} />
        </Suspense>
      )}
    </>
  );
};

/** Shows a page to those who may open it. The server checks this again at every procedure. */
export const PageGate = ({ needs, children }: { needs: Permission | 'signed-in'; children: ReactNode }) => {
  const t = useText();
  const { team, may } = useSignedIn();
  if (needs === 'signed-in') return <Suspense fallback={<Opening />}>{children}</Suspense>;
  if (team.status !== 'active') {
    return (
      <Page title={team.name}>
        <Inactive />
      </Page>
    );
  }
  if (!may(needs)) {
    return (
      <Page title={t('Kein Zugang', 'No access')}>
        <Empty title={t('Diese Seite ist nicht für Sie freigegeben', 'This page is not open to you')}>
          {t('Inhaber und Admins Ihres Teams sehen sie.', 'The owner and admins of your team see it.')}
        </Empty>
      </Page>
    );
  }
  return <Suspense fallback={<Opening />}>{children}</Suspense>;
};

export const NotFoundPage = () => {
  const t = useText();
  return (
    <Page title={t('Seite nicht gefunden', 'Page not found')}>
      <Empty
        title={t('Unter dieser Adresse gibt es nichts', 'There is nothing at this address')}
        action={
          <Button component={Link} to="/">
            {t('Zur Übersicht', 'To the overview')}
          </Button>
        }
      />
    </Page>
  );
};

/** Shown after an exception in the app's own code. */
export const CrashPage = () => {
  const t = useText();
  const error = useRouteError();
  return (
    <Center mih="80vh" component="main">
      <Stack align="center" maw={440}>
        <Title order={1} size="h3">
          {t('Diese Seite ist abgestürzt', 'This page crashed')}
        </Title>
        <Text c="dimmed" ta="center" size="sm">
          {error instanceof Error ? error.message : ''}
        </Text>
        <Button onClick={() => location.reload()}>{t('Neu laden', 'Reload')}</Button>
      </Stack>
    </Center>
  );
};

/** Covers the app during maintenance. The page stays open behind it, and the cover disappears by itself. */
export const MaintenanceCover = () => {
  const t = useText();
  const queries = useQueryClient();
  const isOn = useMaintenance();
  useEffect(() => (isOn ? waitForServer(() => void queries.invalidateQueries()) : undefined), [isOn, queries]);
  return (
    <Modal.Root
      opened={isOn}
      onClose={() => undefined}
      fullScreen
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
      zIndex={1_000}
    >
      <Modal.Content>
        <Modal.Body>
          <Center mih="90vh">
            <Stack align="center" gap="lg" maw={440} ta="center">
              <Logo />
              <IconTool size={40} stroke={1.5} aria-hidden />
              <Modal.Title fz="h2" fw={650}>
                {t('Wir führen gerade Wartungsarbeiten durch', 'We are carrying out maintenance')}
              </Modal.Title>
              <Text>
                {t(
                  'Die Anwendung ist in Kürze wieder verfügbar. Sie können diese Seite geöffnet lassen: Es geht automatisch weiter, und Ihre Eingaben bleiben erhalten.',
                  'The app will be back shortly. You can leave this page open: it continues automatically, and what you have entered is kept.',
                )}
              </Text>
              <Loader size="sm" type="dots" aria-hidden />
            </Stack>
          </Center>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
};
