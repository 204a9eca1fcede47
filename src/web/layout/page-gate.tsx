import { Button, Stack, Text } from '@mantine/core';
import type { ComponentType } from 'react';
import { Link } from 'react-router';
import { Empty } from '../kit/page/messages.tsx';
import { longDayText } from '../kit/text/dates.ts';
import { Page as Frame, Panel } from '../kit/page/page.tsx';
import { t, useLanguage } from '../language/language.tsx';
import { Export } from '../pages/settings/export.tsx';
import { mayExport } from '../pages/settings/rights.ts';
import { useSignedIn, type Permission } from '../session/signed-in.tsx';
import { gateFor, untilDeletedText } from './gate.ts';

/** Shown instead of the pages of a suspended or ended team. */
const Inactive = () => {
  const { team, may } = useSignedIn();
  const { status, deletion_at: at, is_being_deleted: isBeingDeleted, privacy } = team;
  const day = at === null ? undefined : longDayText(new Date(at));
  const ended = t('Dieses Team wurde beendet', 'This team has ended');
  if (isBeingDeleted) {
    return (
      <Empty title={ended}>
        {t('Die Daten des Teams werden gerade gelöscht.', 'The team’s data is being deleted.')}
      </Empty>
    );
  }
  return (
    <>
      {status === 'ended' ? (
        <Empty title={ended}>
          {day === undefined
            ? t('Alle Daten des Teams werden gelöscht.', 'All team data will be deleted.')
            : t(`Am ${day} werden alle Daten des Teams gelöscht.`, `All team data will be deleted on ${day}.`)}{' '}
          {untilDeletedText(may)}
        </Empty>
      ) : (
        <Empty title={t('Dieses Team ist gesperrt', 'This team is suspended')}>
          {t(
            'Seiten, API-Schlüssel und Webhooks sind gesperrt, die Daten bleiben erhalten. Der Betreiber der Plattform kann das Team wieder freischalten.',
            'Pages, API keys and webhooks are disabled. Your data is kept. The platform operator can reactivate the team.',
          )}
        </Empty>
      )}
      {mayExport(may) && <Export hasMemberDetail={privacy.member_detail} />}
    </>
  );
};

/** Shows a page to those who may open it. The server checks this again at every procedure. */
export const PageGate = ({ needs, Page }: { needs: Permission | 'signed-in'; Page: ComponentType }) => {
  useLanguage();
  const { team, may } = useSignedIn();
  const gate = gateFor(needs, team.status, may);
  if (gate === 'inactive') {
    return (
      <Frame title={team.name}>
        <Inactive />
      </Frame>
    );
  }
  if (gate === 'refused') {
    return (
      <Frame title={t('Diese Seite ist Admins vorbehalten', 'This page is for admins')}>
        <Panel>
          <Stack align="flex-start">
            <Text>
              {t('Bitten Sie einen Admin Ihres Teams um die Rolle.', 'Ask an admin of your team for the role.')}
            </Text>
            <ToOverview />
          </Stack>
        </Panel>
      </Frame>
    );
  }
  return <Page />;
};

const ToOverview = () => (
  <Button variant="filled" component={Link} to="/">
    {t('Zur Übersicht', 'Go to overview')}
  </Button>
);

export const NotFoundPage = () => (
  <Frame title={t('Seite nicht gefunden', 'Page not found')}>
    <Panel>
      <Empty
        title={t('Die Seite existiert nicht oder wurde verschoben', 'The page does not exist or has moved')}
        action={<ToOverview />}
      />
    </Panel>
  </Frame>
);
