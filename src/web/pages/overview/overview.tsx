import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import { OwnOverview } from './own-overview.tsx';
import { TeamOverview } from './team-overview.tsx';

export default function OverviewPage() {
  const t = useText();
  const leads = useHere().may('admin');
  return (
    <Page
      title={t('Übersicht', 'Overview')}
      lead={
        leads
          ? t('Wie es Ihrem Team und seinen Schnittstellen geht.', 'How your team and its integrations are doing.')
          : t('Was als Nächstes ansteht und wie Sie vorankommen.', 'What comes next and how you are getting on.')
      }
    >
      {leads ? <TeamOverview /> : <OwnOverview />}
    </Page>
  );
}
