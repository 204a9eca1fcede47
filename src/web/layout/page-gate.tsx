import { Skeleton, Stack } from '@mantine/core';
import { Suspense } from 'react';
import type { ReactNode } from 'react';
import { Empty } from '../kit/empty.tsx';
import { Page } from '../kit/page.tsx';
import { useText } from '../language/language.ts';
import { useHere } from '../session/me.ts';
import type { Need } from '../session/me.ts';

const Opening = () => {
  const t = useText();
  return (
    <Stack role="status" aria-label={t('Wird geladen', 'Loading')}>
      <Skeleton height={32} width={240} />
      <Skeleton height={180} />
    </Stack>
  );
};

/** Shows a page to those whom it is for. The server asks again, at every procedure. */
export const PageGate = ({ needs, children }: { needs: Need | 'signed-in'; children: ReactNode }) => {
  const t = useText();
  const { team, may } = useHere();
  if (needs === 'signed-in') return <Suspense fallback={<Opening />}>{children}</Suspense>;
  if (team.status !== 'active') {
    return (
      <Page title={team.name}>
        <Empty title={t('Dieses Team ist gesperrt', 'This team is suspended')}>
          {t('Der Betreiber der Plattform kann es wieder freigeben.', 'The operator of the platform can release it.')}
        </Empty>
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
