import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Assignment } from '../../../modules/assignments/schema.ts';
import { Lines } from '../../kit/text/cut.tsx';
import { TextLink } from '../../kit/text/text.tsx';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { DialogLink } from '../../kit/dialog/dialog.tsx';
import { Facts, State, stateOptions } from '../../kit/page/facts.tsx';
import { FilterBar, type FilterBarProps, type FilterField } from '../../kit/list/filter-bar.tsx';
import { given, keyIn, rangeNames, useFilters, useRange } from '../../kit/list/filters.tsx';
import { typedDay } from '../../kit/list/date-range.ts';
import { Day, Time } from '../../kit/text/formats.tsx';
import { useCatalogNames } from '../../kit/names/names.tsx';
import type { Search } from '../../kit/list/search-further.tsx';
import { scoreDimensions } from '../../kit/charts/scores.tsx';
import type { Column } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { client, type AppOutputs } from '../../server/server.ts';
import { lateText } from './figures.ts';
import { actionsOnOwn } from './rights.ts';
import { assignmentStates, type AssignmentStatus } from './states.ts';

/** One of the reader's own assignments in a list. */
export type OwnAssignment = AppOutputs['assigning']['mine']['data'][number];

/** An assignment in the team's list, or in the list of the reader's own assignments. */
type ListedAssignment = Omit<OwnAssignment, 'practice_url'>;

export const AssignmentStatusMark = ({ status }: { status: AssignmentStatus }) => (
  <State words={assignmentStates()[status]} />
);

export const serverSorts = ['due', 'status', 'created'] as const;

/** The columns that both lists of assignments have: columns that are only in the file, and columns of the table. */
export const sharedColumns = (): Record<'inFile' | 'inTable', readonly Column<ListedAssignment>[]> => {
  const inFile: readonly Column<ListedAssignment>[] = [
    { label: t('Aufgaben-ID', 'Assignment ID'), value: ({ id }) => id },
    { label: t('Überfällig', 'Overdue'), value: ({ overdue }) => overdue },
    { label: t('Schwerpunkt', 'Focus'), value: ({ focus_dimension }) => focus_dimension },
    { label: t('Situation', 'Situation'), value: ({ situation }) => situation },
    { label: t('Persönlichkeit', 'Personality'), value: ({ personality }) => personality },
    { label: t('Branche', 'Industry'), value: ({ industry }) => industry },
    { label: t('Hinweis', 'Note'), value: ({ note }) => note },
  ];
  const inTable: readonly Column<ListedAssignment>[] = [
    {
      label: t('Fällig', 'Due'),
      name: 'due',
      alwaysShown: true,
      value: ({ due_date }) => due_date,
      cell: (row) => (row.due_date === null ? '–' : <Due on={row.due_date} overdue={row.overdue} />),
    },
    {
      label: t('Status', 'Status'),
      name: 'status',
      alwaysShown: true,
      value: ({ status }) => status,
      cell: (row) => <AssignmentStatusMark status={row.status} />,
    },
  ];
  return { inFile, inTable };
};

/** The names of the catalog items that an assignment practises. */
export const practiceOf = ({ situation, personality, industry }: ListedAssignment): string[] =>
  [situation, personality, industry].filter((name) => name !== null);

/** The column of the titles. Below each title are the items that are practised. */
export const titleColumn = (): Column<ListedAssignment> => ({
  label: t('Aufgabe', 'Assignment'),
  value: ({ title }) => title,
  cell: (row) => (
    <Lines
      below={practiceOf(row)
        .filter((name) => name !== row.title)
        .join(' · ')}
    >
      <DialogLink name="assignment_id" id={row.id}>
        {titleOf(row)}
      </DialogLink>
    </Lines>
  ),
});

/** The due day, and, if it is over, how many days ago it was. */
export const Due = ({ on, overdue }: { on: string; overdue: boolean }) => (
  <Lines
    always
    below={
      overdue && (
        <Text span inherit fw={550} c="var(--bad)">
          {lateText(on)}
        </Text>
      )
    }
  >
    <Day on={on} />
  </Lines>
);

/** Shown if a link leads to an assignment that the reader can't open. */
export const noSuchAssignment = () => ({
  missing: t('Aufgabe nicht gefunden', 'Assignment not found'),
  advice: t(
    'Sie existiert nicht mehr, oder Sie haben keinen Zugriff darauf.',
    'It no longer exists, or you don’t have access to it.',
  ),
});

/** An assignment's title, or a replacement for one without a title. */
export const titleOf = ({ title }: { title: string | null }): string =>
  title ?? t('Aufgabe ohne Titel', 'Untitled assignment');

interface AssignmentFactsProps {
  assignment: Omit<Assignment, 'member_user_id' | 'member_email'>;
  overdue: boolean;
  member?: ReactNode;
  /** The last reminder, if there was one. */
  reminded?: ReactNode;
  /** The trainings for this assignment, newest first. */
  trainings: readonly { id: string; label: ReactNode }[];
}

export const AssignmentFacts = ({
  assignment,
  overdue,
  member = null,
  reminded = null,
  trainings,
}: AssignmentFactsProps) => {
  const areas = scoreDimensions();
  const { situation_id, personality_id, industry_id, focus_dimension, note, created_at } = assignment;
  const names = useCatalogNames([situation_id, personality_id, industry_id]);
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  const facts: [name: string, value: ReactNode][] = [
    [t('Status', 'Status'), <AssignmentStatusMark status={assignment.status} />],
    [t('Mitglied', 'Member'), member],
    [t('Fällig', 'Due'), assignment.due_date === null ? '–' : <Due on={assignment.due_date} overdue={overdue} />],
    [t('Situation', 'Situation'), nameOf(situation_id)],
    [t('Persönlichkeit', 'Personality'), nameOf(personality_id)],
    [t('Branche', 'Industry'), nameOf(industry_id)],
    [t('Schwerpunkt', 'Focus'), focus_dimension === null ? null : areas[focus_dimension]],
    [t('Hinweis', 'Note'), note === null ? null : <span style={{ whiteSpace: 'pre-line' }}>{note}</span>],
    [t('Zugewiesen', 'Assigned'), created_at === null ? null : <Time at={created_at} />],
    [t('Zuletzt erinnert', 'Last reminded'), reminded],
    [
      t('Trainings', 'Trainings'),
      trainings.length === 0 ? (
        t('Noch keine', 'None yet')
      ) : (
        <Group gap="xs">
          {trainings.map(({ id, label }) => (
            <TextLink key={id} to={`/trainings/${id}`} inherit>
              {label}
            </TextLink>
          ))}
        </Group>
      ),
    ],
  ];
  const known = facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  return <Facts facts={known} />;
};

interface OwnAssignmentActionsProps {
  assignment: Pick<OwnAssignment, 'id' | 'title' | 'status' | 'practice_url'>;
}

/** Buttons with which a member begins and finishes one of their own assignments. */
export const OwnAssignmentActions = ({ assignment }: OwnAssignmentActionsProps) => {
  const confirm = useConfirm();
  const { id: assignment_id, practice_url: practice } = assignment;
  const can = actionsOnOwn(assignment);
  const title = titleOf(assignment);

  if (!can.finish) return null;
  const confirmFinish = () =>
    confirm({
      title: t('Aufgabe als erledigt markieren?', 'Mark assignment as done?'),
      consequences: t(
        `„${title}“ gilt dann als erledigt. Nur der Inhaber und Admins können die Aufgabe wieder öffnen.`,
        `“${title}” will be marked as done. Only the owner and admins can reopen it.`,
      ),
      action: t('Als erledigt markieren', 'Mark as done'),
      harmless: true,
      act: () => client.app.assigning.finish.mutate({ assignment_id }),
      done: t('Aufgabe als erledigt markiert.', 'Assignment marked as done.'),
    });
  return (
    <Group gap="xs" justify="flex-end">
      {can.practise && practice !== null && (
        <Button
          component="a"
          href={practice}
          target="_blank"
          rel="noreferrer"
          variant="filled"
          size="xs"
          px="xs"
          aria-label={t(`Training starten: ${title}`, `Start training: ${title}`)}
        >
          {t('Training starten', 'Start training')}
        </Button>
      )}
      {can.begin && (
        <ActionButton
          variant="filled"
          size="xs"
          px="xs"
          aria-label={t(`Starten: ${title}`, `Start: ${title}`)}
          act={() => client.app.assigning.begin.mutate({ assignment_id })}
          done={t('Aufgabe in Arbeit.', 'Assignment in progress.')}
        >
          {t('Starten', 'Start')}
        </ActionButton>
      )}
      <Button
        size="xs"
        px="xs"
        variant="default"
        aria-label={t(`Als erledigt markieren: ${title}`, `Mark as done: ${title}`)}
        onClick={confirmFinish}
      >
        {t('Als erledigt markieren', 'Mark as done')}
      </Button>
    </Group>
  );
};

const filterNames = ['search', 'status', 'member', 'overdue', 'due_before', ...rangeNames] as const;

/** The filters of both lists of assignments, which are stored in the URL. */
export const useAssignmentFilters = () => {
  const filters = useFilters(...filterNames);
  const { valueOf } = filters;
  const query = {
    search: given(valueOf('search')),
    // `unfinished` means open or in progress.
    status: keyIn({ unfinished: true, ...assignmentStates() }, valueOf('status')),
    overdue: valueOf('overdue') === 'true' || undefined,
    due_before: typedDay(valueOf('due_before')),
    ...useRange(filters),
  };
  return {
    query,
    filters: { ...filters, what: t('Aufgaben', 'assignments') },
    /** If a page without rows has a next page, only the newest assignments have been searched so far. */
    search: ({ rows, hasNextPage }: { rows: readonly unknown[] | undefined; hasNextPage: boolean }): Search => ({
      isUnfinished: rows?.length === 0 && hasNextPage,
      filters: query,
    }),
  };
};

interface AssignmentBarProps extends Pick<FilterBarProps<string>, 'rows' | 'children'> {
  /** The filters that only one of the lists has. */
  fields?: readonly FilterField<(typeof filterNames)[number]>[];
}

/** The frame of both lists of assignments, with their filters. */
export const AssignmentBar = ({ rows, fields = [], children }: AssignmentBarProps) => (
  <FilterBar
    list="assignments"
    filters={useAssignmentFilters().filters}
    rows={rows}
    search={{ name: 'search', label: t('Aufgaben suchen', 'Search assignments') }}
    fields={[
      ...fields,
      {
        kind: 'choice',
        name: 'status',
        label: t('Status', 'Status'),
        options: [{ value: 'unfinished', label: t('Nicht erledigt', 'Not done') }, ...stateOptions(assignmentStates())],
      },
      { kind: 'range', names: rangeNames, label: t('Zeitraum', 'Time range') },
      { kind: 'day', name: 'due_before', label: t('Fällig vor', 'Due before') },
      { kind: 'flag', name: 'overdue', label: t('Nur überfällige', 'Overdue only') },
    ]}
    views={[
      { name: t('Überfällig', 'Overdue'), filters: { overdue: 'true' } },
      { name: t('Nicht erledigt', 'Not done'), filters: { status: 'unfinished' } },
    ]}
  >
    {children}
  </FilterBar>
);
