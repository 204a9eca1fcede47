import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Hint } from '../../kit/text/text.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { useFilters, useServerOrder } from '../../kit/list/filters.tsx';
import { CreateButton } from '../../kit/page/create-button.tsx';
import { Detail, Page } from '../../kit/page/page.tsx';
import { SearchedTable } from '../../kit/list/search-further.tsx';
import { ViewTabs } from '../../kit/page/view-tabs.tsx';
import { t } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { leads } from '../../session/may.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import {
  AssignmentFacts,
  AssignmentBar,
  noSuchAssignment,
  OwnAssignmentActions,
  serverSorts,
  useAssignmentFilters,
  sharedColumns,
  titleColumn,
  titleOf,
} from './assignment-parts.tsx';
import { NewAssignmentDialog } from './new-assignment.tsx';
import { isUnfinished } from './rights.ts';
import { TeamAssignments } from './team-assignments.tsx';

/** Admins see the team's assignments, and their own on a second tab. */
const Administered = () => {
  const { team } = useSignedIn();
  const { valueOf } = useFilters('assignment_id');
  const [creating, { open, close }] = useDisclosure();
  return (
    <Page
      title={t('Aufgaben', 'Assignments')}
      actions={<CreateButton label={t('Neue Aufgabe', 'New assignment')} onClick={open} />}
    >
      <WaitingDrafts of={[{ name: 'new assignment', what: t('Neue Aufgabe', 'New assignment'), open }]} />
      <ViewTabs
        label={t('Ansicht der Aufgaben', 'Assignments view')}
        // A mail links to an assignment. While the team's list is hidden, this can only be an assignment of the reader.
        always={valueOf('assignment_id') !== '' && !team.privacy.member_detail ? 'mine' : undefined}
        views={[
          { value: 'team', label: t('Team', 'Team'), content: <TeamAssignments /> },
          { value: 'mine', label: t('Meine', 'Mine'), content: <OwnAssignments /> },
        ]}
      />
      <NewAssignmentDialog opened={creating} onClose={close} />
    </Page>
  );
};

export default function AssignmentsPage() {
  const { may } = useSignedIn();
  if (leads(may)) return <Administered />;
  return (
    <Page title={t('Aufgaben', 'Assignments')}>
      <OwnAssignments />
    </Page>
  );
}

const OwnAssignments = () => {
  const { query, filters, search } = useAssignmentFilters();
  const wanted = { ...query, ...useServerOrder(serverSorts) };
  const pages = usePages(app.assigning.mine.infiniteQueryOptions(wanted, nextPage));
  const { inFile, inTable } = sharedColumns();
  return (
    <AssignmentBar rows={pages.rows}>
      <SearchedTable
        label={t('Ihre Aufgaben', 'Your assignments')}
        csv={{ read: (page) => client.app.assigning.mine.query({ ...wanted, ...page }) }}
        serverSorts={serverSorts}
        list={pages}
        keyOf={({ id }) => id}
        peek={{ title: titleOf, of: (id) => <OneOwnAssignment id={id} />, name: 'assignment_id' }}
        search={search(pages)}
        // A filter by member, which only the team's list has, does not count.
        filters={{ ...filters, isSet: Object.values(query).some((value) => value !== undefined) }}
        none={t('Keine Aufgaben', 'No assignments')}
        hint={t(
          'Wenn Ihnen ein Admin eine Aufgabe zuweist, erhalten Sie eine E-Mail und die Aufgabe erscheint hier.',
          'When an admin gives you an assignment, you get an email and the assignment appears here.',
        )}
        columns={[
          ...inFile,
          titleColumn(),
          ...inTable,
          { label: t('Zugewiesen', 'Assigned'), value: ({ created_at }) => created_at },
        ]}
        actions={(row) => <OwnAssignmentActions assignment={row} />}
      />
    </AssignmentBar>
  );
};

/** One of the reader's own assignments, beside their list. Mails link to it. */
const OneOwnAssignment = ({ id }: { id: string }) => {
  const query = useQuery(app.assigning.own.queryOptions({ assignment_id: id }));
  return (
    <Detail title={t('Aufgabe', 'Assignment')} query={query} {...noSuchAssignment()}>
      {(found) => (
        <Page title={titleOf(found)} actions={<OwnAssignmentActions assignment={found} />}>
          {isUnfinished(found) && (
            <Hint>
              {t(
                'Üben Sie das Gespräch. Die Aufgabe gilt als erledigt, sobald Sie ein zugehöriges Training abgeschlossen haben.',
                'Practise the conversation. The assignment is done once you have completed a training for it.',
              )}
            </Hint>
          )}
          <AssignmentFacts
            assignment={found}
            overdue={found.overdue}
            trainings={found.training_ids.map((training, index, { length }) => ({
              id: training,
              label: t(`Training ${length - index}`, `Training ${length - index}`),
            }))}
          />
        </Page>
      )}
    </Detail>
  );
};
