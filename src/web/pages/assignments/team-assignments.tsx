import { Anchor, Menu, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconCheck, IconTrash, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import { useFilters } from '../../kit/filters.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { useCatalogNames } from '../../kit/names.ts';
import { DetailsOff } from '../../kit/page.tsx';
import { DataTable, RowActions } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { AssignmentLink } from './assignment-link.tsx';
import { AssignmentStatusMark, Due, useTitle } from './assignment-words.tsx';
import { FilterBar, useAssignmentFilters } from './filter-bar.tsx';
import { GivenAssignmentDialog } from './given-assignment-dialog.tsx';
import { NotFoundYet, NothingMatches } from './nothing-found.tsx';
import { useMoves } from './use-moves.ts';

const Member = ({ member: { name, email } }: Pick<GivenAssignment, 'member'>) => (
  <div>
    {name ?? email}
    {name !== null && (
      <Text size="xs" c="dimmed">
        {email}
      </Text>
    )}
  </div>
);

const Actions = ({ of: assignment, moves }: { of: GivenAssignment; moves: ReturnType<typeof useMoves> }) => {
  const t = useText();
  const titleOf = useTitle();
  const { completing, reopening, withdrawing, askToRemove } = moves;
  const [complete, reopen, withdraw] = [completing(assignment), reopening(assignment), withdrawing(assignment)];
  return (
    <RowActions of={titleOf(assignment)}>
      {complete && (
        <Menu.Item leftSection={<IconCheck size={16} aria-hidden />} onClick={() => complete(assignment)}>
          {t('Als erledigt markieren', 'Mark as done')}
        </Menu.Item>
      )}
      {reopen && (
        <Menu.Item leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => reopen(assignment)}>
          {t('Wieder öffnen', 'Reopen')}
        </Menu.Item>
      )}
      {withdraw && (
        <Menu.Item leftSection={<IconX size={16} aria-hidden />} onClick={() => withdraw(assignment)}>
          {t('Zurückziehen', 'Withdraw')}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => askToRemove(assignment)}>
        {t('Löschen …', 'Delete …')}
      </Menu.Item>
    </RowActions>
  );
};

const Closed = () => {
  const t = useText();
  return (
    <DetailsOff title={t('Diese Liste ist nicht verfügbar', 'This list is not available')}>
      {t(
        'Aufgaben vergeben können Sie weiterhin: Die Empfänger bekommen sie per Mail und sehen sie in der App.',
        'You can still give assignments: their recipients get them by mail and see them in the app.',
      )}
    </DetailsOff>
  );
};

const OpenList = () => {
  const t = useText();
  const moves = useMoves();
  const { asked, valueOf, set, clear, isSet } = useAssignmentFilters();
  const open = useFilters('assignment_id');
  const openId = open.valueOf('assignment_id');
  const member = valueOf('member');
  const pages = app.usePages('assigning.list', { ...asked, ...(member !== '' && { member_id: member }) });
  const { rows, hasNextPage, error, refetch } = pages;
  const names = useCatalogNames(rows?.flatMap((row) => [row.situation_id, row.personality_id, row.industry_id]) ?? []);
  const chosen = rows?.find((row) => row.member.member_id === member)?.member;
  // What the title says already is not said again.
  const practiceOf = (row: GivenAssignment) =>
    [row.situation_id, row.personality_id, row.industry_id]
      .flatMap((id) => names?.get(id ?? '') ?? [])
      .filter((name) => name !== row.title);
  return (
    <Stack gap="md">
      <FilterBar>
        <MemberChoice
          label={t('Mitglied', 'Member')}
          placeholder={t('Alle', 'All')}
          by="id"
          value={member}
          onChange={(id) => set('member', id)}
          {...(chosen && { otherwise: chosen.name ?? chosen.email ?? '' })}
        />
      </FilterBar>
      <ProblemAlert error={moves.error} />
      {rows?.length === 0 && hasNextPage ? (
        <NotFoundYet {...pages} />
      ) : (
        <DataTable
          label={t('Aufgaben des Teams', 'Assignments of the team')}
          rows={rows}
          keyOf={({ id }) => id}
          error={error}
          retry={() => void refetch()}
          more={pages}
          empty={
            isSet ? (
              <NothingMatches onClear={clear} />
            ) : (
              <Empty title={t('Noch keine Aufgaben', 'No assignments yet')}>
                {t(
                  'Geben Sie einem oder mehreren Mitgliedern etwas zu üben. Sie bekommen eine Mail und sehen die Aufgabe hier.',
                  'Give one or several members something to practise. They get a mail and see the assignment here.',
                )}
              </Empty>
            )
          }
          columns={[
            {
              label: t('Aufgabe', 'Assignment'),
              cell: (row) => (
                <div>
                  <AssignmentLink assignment={row} />
                  <Text size="xs" c="dimmed" fw={400}>
                    {practiceOf(row).join(' · ') || '\u00a0'}
                  </Text>
                </div>
              ),
            },
            { label: t('Mitglied', 'Member'), cell: (row) => <Member member={row.member} /> },
            { label: t('Fällig', 'Due'), cell: (row) => <Due on={row.due_date} overdue={row.overdue} /> },
            { label: t('Status', 'Status'), cell: (row) => <AssignmentStatusMark status={row.status} /> },
            {
              label: t('Gespräche', 'Conversations'),
              align: 'end',
              cell: ({ training_ids: [newest, ...others] }) =>
                newest === undefined ? (
                  '0'
                ) : (
                  <Anchor
                    component={Link}
                    to={`/trainings/${newest}`}
                    inherit
                    aria-label={`${others.length + 1}, ${t('zum letzten Gespräch', 'to the last conversation')}`}
                  >
                    {others.length + 1}
                  </Anchor>
                ),
            },
            { label: '', align: 'end', cell: (row) => <Actions of={row} moves={moves} /> },
          ]}
        />
      )}
      <GivenAssignmentDialog
        id={openId}
        row={rows?.find(({ id }) => id === openId)}
        onClose={() => open.set('assignment_id', null)}
      />
    </Stack>
  );
};

/** The assignments of all members. Shown only while the team shows details about individual people. */
export const TeamAssignments = () => (useHere().team.privacy.member_detail ? <OpenList /> : <Closed />);
