import { Button, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useFilters } from '../../kit/filters.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import { NewAssignmentDialog } from './new-assignment-dialog.tsx';
import { OwnAssignmentDialog } from './own-assignment-dialog.tsx';
import { OwnAssignments } from './own-assignments.tsx';
import { TeamAssignments } from './team-assignments.tsx';

const Own = () => {
  const { valueOf, set } = useFilters('assignment_id');
  return (
    <>
      <OwnAssignments />
      <OwnAssignmentDialog id={valueOf('assignment_id')} onClose={() => set('assignment_id', null)} />
    </>
  );
};

/** Who administers the team has what they were given beside what they give. */
const Administered = () => {
  const t = useText();
  const { team } = useHere();
  const { valueOf, set } = useFilters('view', 'assignment_id');
  // A mail leads to an assignment; while the list of everybody’s is closed, it can only be their own.
  const isOwn = valueOf('view') === 'mine' || (valueOf('assignment_id') !== '' && !team.privacy.member_detail);
  const [creating, { open, close }] = useDisclosure();
  return (
    <Page
      title={t('Aufgaben', 'Assignments')}
      lead={t(
        'Was Mitglieder üben sollen und wie weit sie damit sind.',
        'What members are to practise, and how far they have come.',
      )}
      actions={<Button onClick={open}>{t('Neue Aufgabe', 'New assignment')}</Button>}
    >
      <Tabs
        value={isOwn ? 'mine' : 'team'}
        onChange={(view) => set('view', view === 'mine' ? view : null)}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('Wessen Aufgaben', 'Whose assignments')} mb="md">
          <Tabs.Tab value="team">{t('Im Team', 'In the team')}</Tabs.Tab>
          <Tabs.Tab value="mine">{t('Meine', 'Mine')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="team">
          <TeamAssignments />
        </Tabs.Panel>
        <Tabs.Panel value="mine">
          <Own />
        </Tabs.Panel>
      </Tabs>
      <NewAssignmentDialog opened={creating} onClose={close} />
    </Page>
  );
};

export default function AssignmentsPage() {
  const t = useText();
  const { may } = useHere();
  if (may('admin')) return <Administered />;
  return (
    <Page title={t('Aufgaben', 'Assignments')} lead={t('Was Sie üben sollen.', 'What you are to practise.')}>
      <Own />
    </Page>
  );
}
