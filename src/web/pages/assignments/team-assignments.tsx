import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowBackUp, IconCalendar, IconCheck, IconMail, IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { useBulkActions } from '../../kit/list/bulk-actions.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { undoable } from '../../kit/dialog/undo.ts';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { given, useServerOrder } from '../../kit/list/filters.tsx';
import { dueDayIn } from '../../kit/text/dates.ts';
import { number } from '../../kit/text/figures.ts';
import { Lines, TextInCell } from '../../kit/text/cut.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { PersonName } from '../../kit/names/members.tsx';
import { notify, ProblemAlert } from '../../kit/page/messages.tsx';
import { Detail, DetailsOff, Page } from '../../kit/page/page.tsx';
import { RemovalItem, RowActions } from '../../kit/list/row-actions.tsx';
import { SearchedTable } from '../../kit/list/search-further.tsx';
import { t } from '../../language/language.tsx';
import { isNotFound } from '../../server/problem.ts';
import { api, app, client, nextPage, usePages } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { AssignmentForm, DueDateField } from './assignment-form.tsx';
import {
  AssignmentFacts,
  AssignmentBar,
  noSuchAssignment,
  serverSorts,
  useAssignmentFilters,
  sharedColumns,
  titleColumn,
  titleOf,
} from './assignment-parts.tsx';
import { reopenings, statusChange } from './changes.ts';
import { assignments, dueDatesText, remindedBy, remindedPeopleText } from './figures.ts';
import { reminding } from './reminding.tsx';
import { actionsOnGiven, isUnfinished } from './rights.ts';

const Actions = ({
  assignment,
  actions,
}: {
  assignment: GivenAssignment;
  actions: ReturnType<typeof useAssignmentActions> & {
    remind: (rows: GivenAssignment[]) => void;
    extend: (ids: string[]) => void;
  };
}) => {
  const { complete, remind, extend, reopen, withdraw, confirmRemoval } = actions;
  const can = actionsOnGiven(assignment);
  return (
    <RowActions name={titleOf(assignment)}>
      {can.complete && (
        <Menu.Item leftSection={<IconCheck size={16} aria-hidden />} onClick={() => complete(assignment)}>
          {t('Als erledigt markieren', 'Mark as done')}
        </Menu.Item>
      )}
      {can.remind && (
        <Menu.Item leftSection={<IconMail size={16} aria-hidden />} onClick={() => remind([assignment])}>
          {t('Per E-Mail erinnern …', 'Remind by email …')}
        </Menu.Item>
      )}
      {can.extend && (
        <Menu.Item leftSection={<IconCalendar size={16} aria-hidden />} onClick={() => extend([assignment.id])}>
          {t('Fälligkeit ändern …', 'Change due date …')}
        </Menu.Item>
      )}
      {can.withdraw && (
        <Menu.Item leftSection={<IconX size={16} aria-hidden />} onClick={() => withdraw(assignment)}>
          {t('Zurückziehen', 'Withdraw')}
        </Menu.Item>
      )}
      {can.reopen && (
        <Menu.Item leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => reopen(assignment)}>
          {t('Wieder öffnen', 'Reopen')}
        </Menu.Item>
      )}
      <RemovalItem onClick={() => confirmRemoval(assignment)}>{t('Löschen …', 'Delete …')}</RemovalItem>
    </RowActions>
  );
};

const OpenList = () => {
  const actions = useAssignmentActions();
  const { query, filters, search } = useAssignmentFilters();
  const member = filters.valueOf('member');
  const matching = { ...query, member_id: given(member) };
  const wanted = { ...matching, ...useServerOrder(serverSorts) };
  const { data: number } = useQuery(app.assigning.count.queryOptions(matching));
  const pages = usePages(app.assigning.list.infiniteQueryOptions(wanted, nextPage));
  const { rows } = pages;
  const chosen = rows?.find((row) => row.member.member_id === member)?.member;
  const [extended, setExtended] = useState<string[]>([]);
  const { selection, outcome, remind, setDueDates } = useAssignmentSelection(rows, setExtended);
  const { inFile, inTable } = sharedColumns();
  return (
    <AssignmentBar
      rows={rows}
      fields={[
        {
          kind: 'member',
          name: 'member',
          label: t('Mitglied', 'Member'),
          by: 'id',
          ...(chosen && { fallbackName: chosen.name ?? chosen.email ?? '' }),
        },
      ]}
    >
      <ProblemAlert error={actions.error} />
      {outcome}
      <RemindedPeople />
      <SearchedTable
        label={t('Aufgaben des Teams', 'Team assignments')}
        csv={{ read: (page) => client.app.assigning.list.query({ ...wanted, ...page }) }}
        serverSorts={serverSorts}
        selection={selection}
        list={pages}
        count={number}
        keyOf={({ id }) => id}
        peek={{
          title: titleOf,
          of: (id, row, close) => <OneGivenAssignment id={id} row={row} onRemoved={close} />,
          name: 'assignment_id',
        }}
        search={search(pages)}
        filters={filters}
        none={t('Noch keine Aufgaben', 'No assignments yet')}
        hint={t(
          'Weisen Sie Mitgliedern Trainings zu. Sie werden per E-Mail benachrichtigt.',
          'Assign trainings to members. They are notified by email.',
        )}
        columns={[
          ...inFile,
          titleColumn(),
          {
            label: t('Mitglied', 'Member'),
            value: ({ member }) => member.name,
            alwaysShown: true,
            cell: ({ member: { name, email } }) => <PersonName name={name} email={email ?? ''} />,
          },
          { label: t('E-Mail', 'Email'), value: ({ member: { email } }) => email },
          ...inTable,
          {
            label: t('Zugewiesen', 'Assigned'),
            name: 'created',
            value: ({ created_at }) => created_at,
            priority: 3,
            cell: 'time',
          },
          {
            label: t('Zuletzt erinnert', 'Last reminded'),
            value: ({ reminded }) => reminded?.at,
            priority: 1,
            ...(rows?.some(({ reminded }) => reminded !== null) === true && { cell: lastReminder }),
          },
          { label: t('Erinnert von', 'Reminded by'), value: ({ reminded }) => reminded?.by },
          { label: t('Seitdem geübt', 'Practised since'), value: ({ reminded }) => reminded?.practised },
          {
            label: t('Trainings', 'Trainings'),
            value: ({ training_ids }) => training_ids.length,
            align: 'end',
            priority: 2,
            cell: ({ training_ids: [newest, ...others] }) =>
              newest === undefined ? (
                '0'
              ) : (
                <TextLink
                  to={`/trainings/${newest}`}
                  inherit
                  aria-label={`${others.length + 1}, ${t('Letztes Training öffnen', 'Open latest training')}`}
                >
                  {others.length + 1}
                </TextLink>
              ),
          },
        ]}
        actions={(row) => <Actions assignment={row} actions={{ ...actions, remind, extend: setExtended }} />}
      />
      <Dialog title={dueDatesText(extended.length || 1)} opened={extended.length > 0} onClose={() => setExtended([])}>
        <DueDateForm
          count={extended.length}
          onCancel={() => setExtended([])}
          onChoose={(day) => {
            setDueDates(extended, day);
            setExtended([]);
          }}
        />
      </Dialog>
    </AssignmentBar>
  );
};

interface DueDateFormProps {
  /** The number of assignments whose due day is changed. */
  count: number;
  onChoose: (day: string) => void;
  onCancel: () => void;
}

/** Asks for a new due day. At first, it is a week from today. */
const DueDateForm = ({ count: found, onChoose, onCancel }: DueDateFormProps) => {
  const form = useServerForm({
    initial: { due_date: dueDayIn(7) },
    send: ({ due_date }) => Promise.resolve(due_date),
    onSent: onChoose,
  });
  return (
    <Form form={form} action={dueDatesText(found)} onCancel={onCancel}>
      <DueDateField
        label={t('Neue Fälligkeit', 'New due date')}
        required
        min={dueDayIn(0)}
        data-autofocus
        {...form.getInputProps('due_date')}
      />
    </Form>
  );
};

/** The assignments of all members. Shown only while the team shows details about individual people. */
export const TeamAssignments = () => {
  if (useSignedIn().team.privacy.member_detail) return <OpenList />;
  return (
    <DetailsOff title={t('Wegen Datenschutz nicht verfügbar', 'Unavailable: member-level data is hidden')}>
      {t(
        'Sie können weiterhin Aufgaben zuweisen. Die Empfänger erhalten eine E-Mail und sehen die Aufgabe in der App.',
        'You can still create assignments. Recipients get an email and see the assignment in the app.',
      )}
    </DetailsOff>
  );
};

/** How many members were reminded in the last days, and how many of them have practised since. */
const RemindedPeople = () => {
  const { data } = useQuery(app.assigning.reminded.queryOptions({}));
  return data && data.people > 0 ? <Hint>{remindedPeopleText(data)}</Hint> : null;
};

type LastReminder = NonNullable<GivenAssignment['reminded']>;

/** The cell of the column with the last reminders. Only a list in which there are some has this column. */
const lastReminder = ({ reminded }: GivenAssignment): ReactNode =>
  reminded === null ? (
    '–'
  ) : (
    <Lines below={<TextInCell text={remindedBy(reminded)} />}>
      <Time at={reminded.at} />
    </Lines>
  );

const LastReminded = ({ reminded }: { reminded: LastReminder }) => (
  <>
    <Time at={reminded.at} />
    {` ${remindedBy(reminded)}, `}
    {reminded.practised ? t('seitdem geübt', 'practised since') : t('seitdem nicht geübt', 'not practised since')}
  </>
);

const GivenAssignmentView = ({ assignment, onRemoved }: { assignment: GivenAssignment; onRemoved: () => void }) => {
  const actions = useAssignmentActions();
  const can = actionsOnGiven(assignment);
  const { member, reminded } = assignment;
  const trainings = useQuery(api.trainings.list.queryOptions({ assignment_id: assignment.id }));
  const [editing, edit] = useDisclosure();
  return (
    <Page
      title={titleOf(assignment)}
      actions={
        <>
          {can.complete && (
            <Button variant="filled" loading={actions.isPending} onClick={() => actions.complete(assignment)}>
              {t('Als erledigt markieren', 'Mark as done')}
            </Button>
          )}
          {can.reopen && (
            <Button variant="filled" loading={actions.isPending} onClick={() => actions.reopen(assignment)}>
              {t('Wieder öffnen', 'Reopen')}
            </Button>
          )}
          <Button onClick={edit.open}>{t('Bearbeiten', 'Edit')}</Button>
          <Button
            variant="subtle"
            color="gray"
            c="var(--bad)"
            onClick={() => actions.confirmRemoval(assignment, onRemoved)}
          >
            {t('Löschen …', 'Delete …')}
          </Button>
        </>
      }
    >
      <ProblemAlert error={actions.error} />
      <AssignmentFacts
        assignment={assignment}
        overdue={assignment.overdue}
        member={[member.name, member.email].filter(Boolean).join(' · ') || null}
        reminded={reminded && <LastReminded reminded={reminded} />}
        trainings={(trainings.data?.data ?? []).map(({ id, created_at }) => ({
          id,
          label: created_at === null ? id : <Time at={created_at} />,
        }))}
      />
      <Dialog title={t('Aufgabe bearbeiten', 'Edit assignment')} opened={editing} onClose={edit.close} size="lg">
        <AssignmentForm assignment={assignment} onClose={edit.close} />
      </Dialog>
    </Page>
  );
};

interface GivenAssignmentProps {
  id: string;
  /** The assignment's row in the list, if it is loaded there. */
  row: GivenAssignment | undefined;
  onRemoved: () => void;
}

/** An assignment beside the list. Mails and other pages link to it. */
const OneGivenAssignment = ({ id, row, onRemoved }: GivenAssignmentProps) => {
  const query = useQuery(app.assigning.given.queryOptions({ assignment_id: id }, { enabled: !row }));
  return (
    <Detail
      title={t('Aufgabe', 'Assignment')}
      query={{ ...query, data: row ?? query.data }}
      isMissing={!row && isNotFound(query.error)}
      {...noSuchAssignment()}
    >
      {(found) => <GivenAssignmentView assignment={found} onRemoved={onRemoved} />}
    </Detail>
  );
};

type ChangeableAssignment = Pick<GivenAssignment, 'id' | 'title' | 'status' | 'completed_training_id'>;

const useAssignmentActions = () => {
  const confirm = useConfirm();
  const change = useMutation(app.assigning.change.mutationOptions());
  const changeTo =
    (status: ChangeableAssignment['status'], confirmation: string) => (assignment: ChangeableAssignment) => {
      const wanted = statusChange(assignment, status);
      const { undo } = undoable((input) => client.app.assigning.change.mutate(input), wanted);
      change.mutate(wanted.act, { onSuccess: () => notify(confirmation, undo) });
    };
  return {
    isPending: change.isPending,
    error: change.error,
    complete: changeTo('done', t('Aufgabe als erledigt markiert.', 'Assignment marked as done.')),
    reopen: changeTo('open', t('Aufgabe wieder geöffnet.', 'Assignment reopened.')),
    withdraw: changeTo('revoked', t('Aufgabe zurückgezogen.', 'Assignment withdrawn.')),
    confirmRemoval: (assignment: ChangeableAssignment, onRemoved?: () => void) =>
      confirm({
        title: t(`„${titleOf(assignment)}“ löschen?`, `Delete “${titleOf(assignment)}”?`),
        consequences: t(
          'Die Aufgabe wird für das Mitglied und in der API gelöscht. Zugehörige Trainings bleiben erhalten, sind dann aber keiner Aufgabe mehr zugeordnet. Das kann nicht rückgängig gemacht werden. Alternativ können Sie die Aufgabe zurückziehen.',
          'The assignment will be deleted for the member and in the API. Its trainings are kept, but no longer linked to an assignment. This can’t be undone. You can withdraw the assignment instead.',
        ),
        action: t('Aufgabe löschen', 'Delete assignment'),
        act: () => client.app.assigning.remove.mutate({ assignment_id: assignment.id }).then(onRemoved),
        done: t('Aufgabe gelöscht.', 'Assignment deleted.'),
      }),
  };
};

/** Takes the withdrawal of assignments back. */
const reopenAsBefore = async (withdrawn: readonly ChangeableAssignment[]): Promise<void> => {
  for (const part of reopenings(withdrawn)) await client.app.assigning.reopenMany.mutate(part);
};

/** The actions on several assignments: send reminders, change their due day, withdraw or delete them. */
const useAssignmentSelection = (rows: readonly GivenAssignment[] | undefined, onExtend: (ids: string[]) => void) => {
  const { selection, chosen, start, ask, forGood, isRunning, outcome } = useBulkActions(rows, (row) =>
    [titleOf(row), row.member.name ?? row.member.email].filter((part) => part !== null).join(' · '),
  );
  const unfinished = chosen.filter(isUnfinished);
  const unfinishedIds = unfinished.map(({ id }) => id);
  const remind = (of: readonly GivenAssignment[]): void => ask(reminding(of));

  const setDueDates = (ids: readonly string[], due_date: string): void =>
    start({
      ids,
      call: (part) => client.app.assigning.setDueDates.mutate({ assignment_ids: part, due_date }),
      doneText: (done) =>
        t(`Fälligkeit von ${assignments(done)} geändert.`, `Due date of ${assignments(done)} changed.`),
    });

  const confirmWithdrawal = (): void =>
    ask({
      title: t(`${assignments(unfinished.length)} zurückziehen?`, `Withdraw ${assignments(unfinished.length)}?`),
      consequences: t(
        'Die Aufgaben gelten dann nicht mehr. Sie können sie wieder öffnen.',
        'The assignments no longer apply. You can reopen them.',
      ),
      action: t('Zurückziehen', 'Withdraw'),
      harmless: true,
      ids: unfinishedIds,
      call: (part) => client.app.assigning.revokeMany.mutate({ assignment_ids: part }),
      undo: (withdrawn) => reopenAsBefore(unfinished.filter(({ id }) => withdrawn.includes(id))),
      doneText: (done) => t(`${assignments(done)} zurückgezogen.`, `${assignments(done)} withdrawn.`),
    });

  const confirmRemoval = (): void =>
    ask({
      title: t(`${assignments(chosen.length)} löschen?`, `Delete ${assignments(chosen.length)}?`),
      consequences: t(
        'Die Aufgaben werden für die Mitglieder und in der API gelöscht. Zugehörige Trainings bleiben erhalten. Das kann nicht rückgängig gemacht werden.',
        'The assignments are deleted for the members and in the API. Their trainings are kept. This can’t be undone.',
      ),
      ...forGood(
        chosen.map(({ id }) => id),
        t(`${assignments(chosen.length)} wirklich löschen?`, `Really delete ${assignments(chosen.length)}?`),
      ),
      action: t('Löschen', 'Delete'),
      ids: chosen.map(({ id }) => id),
      call: (part) => client.app.assigning.removeMany.mutate({ assignment_ids: part }),
      doneText: (done) => t(`${assignments(done)} gelöscht.`, `${assignments(done)} deleted.`),
    });

  const actions = (
    <>
      {unfinished.length > 0 && (
        <>
          <Button variant="filled" size="compact-sm" disabled={isRunning} onClick={() => remind(unfinished)}>
            {t(`Erinnern (${number(unfinished.length)})`, `Remind (${number(unfinished.length)})`)}
          </Button>
          <Button size="compact-sm" disabled={isRunning} onClick={() => onExtend(unfinishedIds)}>
            {t(`Fälligkeit ändern (${number(unfinished.length)})`, `Change due date (${number(unfinished.length)})`)}
          </Button>
          <Button size="compact-sm" disabled={isRunning} onClick={confirmWithdrawal}>
            {t(`Zurückziehen (${number(unfinished.length)})`, `Withdraw (${number(unfinished.length)})`)}
          </Button>
        </>
      )}
      <Button size="compact-sm" c="var(--bad)" disabled={isRunning} onClick={confirmRemoval}>
        {t(`Löschen (${number(chosen.length)})`, `Delete (${number(chosen.length)})`)}
      </Button>
    </>
  );
  return {
    selection: { ...selection, actions },
    outcome,
    remind,
    setDueDates,
  };
};
