import { Button, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useFilters } from '../../kit/filters.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import { NewCaseDialog } from './case-dialog.tsx';
import { OwnCases } from './own-cases.tsx';
import { TeamCases } from './team-cases.tsx';

export default function CasesPage() {
  const t = useText();
  const { may } = useHere();
  const { valueOf, set } = useFilters('view');
  const [creating, { open, close }] = useDisclosure();
  const shelf = may('admin') && valueOf('view') !== 'mine' ? 'team' : 'own';
  return (
    <Page
      title={t('Fälle', 'Cases')}
      lead={t(
        'Echte Gespräche als Vorlage zum Üben: mit wem, worum es geht und woran es hängt.',
        'Real conversations to practise with: with whom, what it is about and where it is stuck.',
      )}
      actions={<Button onClick={open}>{t('Neuer Fall', 'New case')}</Button>}
    >
      {may('admin') ? (
        <Tabs value={shelf} onChange={(view) => set('view', view === 'own' ? 'mine' : null)} keepMounted={false}>
          <Tabs.List aria-label={t('Wessen Fälle', 'Whose cases')} mb="md">
            <Tabs.Tab value="team">{t('Im Team', 'In the team')}</Tabs.Tab>
            <Tabs.Tab value="own">{t('Nur für mich', 'Only for me')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="team">
            <TeamCases />
          </Tabs.Panel>
          <Tabs.Panel value="own">
            <OwnCases />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <OwnCases />
      )}
      <NewCaseDialog shelf={shelf} opened={creating} onClose={close} />
    </Page>
  );
}
