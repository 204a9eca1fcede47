import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconUserPlus, IconUsersPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { FilterBar, type FilterField } from '../../kit/list/filter-bar.tsx';
import { FilterSelect, given, keyIn, optionsOf, useFilters, useServerOrder } from '../../kit/list/filters.tsx';
import { number } from '../../kit/text/figures.ts';
import { PersonName } from '../../kit/names/members.tsx';
import { roleName, roleNames, statusNames } from '../../kit/names/member-words.ts';
import { CreateButton } from '../../kit/page/create-button.tsx';
import { useIsPhone } from '../../kit/page/is-phone.ts';
import { Page } from '../../kit/page/page.tsx';
import { DataTable, factsOf, type Column } from '../../kit/list/table.tsx';
import { Delta } from '../../kit/charts/scores.tsx';
import { locale, t } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { NewAssignmentDialog } from '../assignments/new-assignment.tsx';
import { recipientOf } from '../assignments/recipients.ts';
import { seatsTakenText } from './figures.ts';
import { FormerMembers } from './former-members.tsx';
import { DirectoryMark } from './from-directory.tsx';
import { InviteMany } from './invite-many.tsx';
import { InviteOne } from './invite-one.tsx';
import {
  HandOver,
  MemberActions,
  Membership,
  Permissions,
  SecondFactor,
  useMemberChanges,
  type ListedMember,
  type TeamMember,
} from './member-actions.tsx';
import { useMemberSelection } from './member-selection.tsx';
import { overdueOf, unfinishedOf } from './links.ts';
import { findsFormer } from './rights.ts';
import { WaitingNotice } from './waiting-invitations.tsx';

const OneMember = lazy(async () => ({ default: (await import('./member.tsx')).OneMember }));

type OpenedDialog = 'hand over' | 'assign';

const serverSorts = [
  'name',
  'role',
  'status',
  'two_factor',
  'joined',
  'activity',
  'average',
  'change',
  'open',
  'overdue',
] as const;

/** The beginnings of names to which the reader can jump. */
const letters = ['0', ...'abcdefghijklmnopqrstuvwxyz'];

export default function MembersPage() {
  const { may, team } = useSignedIn();
  const showsWork = team.privacy.member_detail;
  const [opened, setOpened] = useState<OpenedDialog>();
  const [newOwner, setNewOwner] = useState<TeamMember>();
  const filters = useFilters('search', 'role', 'status', 'without', 'directory', 'inactive');
  const { valueOf } = filters;
  const directory = keyIn(directoryNames(), valueOf('directory'));
  const showsFormer = valueOf('status') === 'former' && findsFormer(may);
  const order = useServerOrder(serverSorts);
  const matching = {
    search: given(valueOf('search')),
    role: keyIn(roleNames(), valueOf('role')),
    status: keyIn(statusNames(), valueOf('status')),
    without: keyIn(withoutNames(), valueOf('without')),
    from_directory: directory === undefined ? undefined : directory === 'known',
    inactive: (showsWork && valueOf('inactive') === 'true') || undefined,
  };
  // Only the ascending order by names can start in the middle.
  const isByName = order.sort?.by === 'name' && !order.sort.desc;
  const place = useFilters('from', 'sort');
  const from = isByName ? place.valueOf('from') : '';
  const query = { ...matching, ...order, ...(from !== '' && { from }) };
  const settings = useQuery(app.team.settings.queryOptions({})).data;
  const hasDirectory = settings?.has_directory === true || directory !== undefined;
  const { data: count } = useQuery({ ...app.members.count.queryOptions(matching), enabled: !showsFormer });
  const list = usePages(app.members.list.infiniteQueryOptions(query, nextPage));
  const onAssign = () => setOpened('assign');
  const { selection, chosen, start, outcome } = useMemberSelection(list.rows, { matching, count, onAssign });
  const changes = useMemberChanges();
  const handOver = (member: TeamMember) => {
    setNewOwner(member);
    setOpened('hand over');
  };
  const close = () => setOpened(undefined);

  /** This is no filter, because it does not change the number of members. */
  const jump: MemberField = {
    kind: 'own',
    names: [],
    label: t('Zu Namen springen', 'Jump to names'),
    words: undefined,
    input: (
      <FilterSelect
        value={from}
        onChange={(letter) => {
          place.set('sort', 'name');
          place.set('from', letter);
        }}
        label={t('Zu Namen springen', 'Jump to names')}
        all={t('Springen zu …', 'Jump to …')}
        options={letters.map((letter) => ({ value: letter, label: letter === '0' ? '0–9' : letter.toUpperCase() }))}
      />
    ),
  };

  return (
    <Page
      title={t('Mitglieder', 'Members')}
      lead={
        showsFormer ? (
          t('Personen, die nicht mehr im Team sind.', 'People who are no longer in the team.')
        ) : (
          <SeatsTaken />
        )
      }
      actions={<Invitations />}
    >
      <WaitingNotice />
      <FilterBar
        list="members"
        filters={filters}
        {...(!showsFormer && { search: { name: 'search', label: t('Name oder E-Mail', 'Name or email') } })}
        fields={[
          statusField(findsFormer(may)),
          ...(showsFormer ? [] : [...presentFields({ showsWork, hasDirectory }), jump]),
        ]}
        views={[
          showsWork && {
            name: t('Seit 14 Tagen nicht geübt', 'Not practised for 14 days'),
            filters: { inactive: 'true' },
          },
          { name: t('Ohne zweiten Faktor', 'Without second factor'), filters: { without: 'second_factor' } },
          { name: t('Offene Einladungen', 'Pending invitations'), filters: { status: 'invited' } },
          findsFormer(may) && { name: t('Ehemalige Mitglieder', 'Former members'), filters: { status: 'former' } },
        ]}
      >
        {outcome}
        {showsFormer ? (
          <FormerMembers />
        ) : (
          <DataTable
            label={t('Mitglieder', 'Members')}
            columns={memberColumns(showsWork)}
            actions={(member) => <MemberActions member={member} changes={changes} onHandOver={handOver} />}
            csv={{ read: (page) => client.app.members.list.query({ ...query, ...page }) }}
            serverSorts={serverSorts}
            count={count}
            selection={selection}
            list={list}
            keyOf={({ id }) => id}
            peek={{
              title: ({ name, email }) => name ?? email,
              to: (id) => `/members/${id}`,
              of: (id, listed) => (
                <OneMember
                  id={id}
                  brief={{ listed, figures: listed && showsWork ? factsOf(workColumns(), listed) : [] }}
                />
              ),
            }}
            filters={{
              ...filters,
              what: t('Mitglieder', 'members'),
              advice: t(
                'Suchen Sie nach einem anderen Namen oder laden Sie die Person ein.',
                'Search for another name, or invite the person.',
              ),
            }}
          />
        )}
      </FilterBar>
      <Dialog title={t('Team übergeben', 'Transfer team')} opened={opened === 'hand over'} onClose={close}>
        {newOwner && <HandOver to={newOwner} onDone={close} />}
      </Dialog>
      <NewAssignmentDialog
        opened={opened === 'assign'}
        onClose={close}
        start={start}
        recipients={chosen.map(recipientOf)}
      />
    </Page>
  );
}

type MemberField = FilterField<'search' | 'role' | 'status' | 'without' | 'directory' | 'inactive'>;

const withoutNames = () => ({
  second_factor: t('Ohne zweiten Faktor', 'Without second factor'),
  company: t('Ohne Firmenkonto', 'Without company account'),
});

const directoryNames = () => ({
  known: t('Aus dem Verzeichnis', 'From the directory'),
  unknown: t('Nicht aus dem Verzeichnis', 'Not from the directory'),
});

const statusField = (hasFormer: boolean): MemberField => ({
  kind: 'choice',
  name: 'status',
  label: t('Status', 'Status'),
  options: [
    ...optionsOf(statusNames()),
    ...(hasFormer ? [{ value: 'former', label: t('Ehemalige', 'Former members') }] : []),
  ],
});

interface ShownFilters {
  showsWork: boolean;
  hasDirectory: boolean;
}

/** The filters that only the list of people in the team has, not the list of former members. */
const presentFields = ({ showsWork, hasDirectory }: ShownFilters): readonly (MemberField | false)[] => [
  { kind: 'choice', name: 'role', label: t('Rolle', 'Role'), options: optionsOf(roleNames()) },
  { kind: 'choice', name: 'without', label: t('Anmeldung', 'Sign-in'), options: optionsOf(withoutNames()) },
  hasDirectory && {
    kind: 'choice',
    name: 'directory',
    label: t('Verzeichnis', 'Directory'),
    options: optionsOf(directoryNames()),
  },
  showsWork && { kind: 'flag', name: 'inactive', label: t('Seit 14 Tagen nicht geübt', 'Not practised for 14 days') },
];

/** Buttons that invite people, with their dialogs. Opening one renders only the dialog, not the list again. */
const Invitations = () => {
  const [opened, setOpened] = useState<'one' | 'many'>();
  const isPhone = useIsPhone();
  const close = () => setOpened(undefined);
  const openOne = () => setOpened('one');
  const openMany = () => setOpened('many');
  return (
    <>
      <WaitingDrafts
        of={[
          { name: 'invitation', what: t('Einladen', 'Invite'), open: openOne },
          { name: 'invitations', what: t('Mehrere Personen einladen', 'Invite multiple people'), open: openMany },
        ]}
      />
      {isPhone ? (
        <Menu position="bottom-end" portalProps={{ target: '#main' }} withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <CreateButton
              label={t('Einladen', 'Invite')}
              icon={IconUserPlus}
              rightSection={<IconChevronDown size={14} aria-hidden />}
            />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconUserPlus size={16} aria-hidden />} onClick={openOne}>
              {t('Eine Person einladen …', 'Invite one person …')}
            </Menu.Item>
            <Menu.Item leftSection={<IconUsersPlus size={16} aria-hidden />} onClick={openMany}>
              {t('Mehrere Personen einladen …', 'Invite multiple people …')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ) : (
        <>
          <Button leftSection={<IconUsersPlus size={16} aria-hidden />} onClick={openMany}>
            {t('Mehrere Personen einladen', 'Invite multiple people')}
          </Button>
          <CreateButton label={t('Einladen', 'Invite')} icon={IconUserPlus} onClick={openOne} />
        </>
      )}
      <Dialog title={t('Einladen', 'Invite')} opened={opened === 'one'} onClose={close}>
        <InviteOne onDone={close} />
      </Dialog>
      <Dialog
        title={t('Mehrere Personen einladen', 'Invite multiple people')}
        size="xl"
        opened={opened === 'many'}
        onClose={close}
      >
        <InviteMany onDone={close} />
      </Dialog>
    </>
  );
};

/** The sentence below the page's title: how many seats are taken. */
const SeatsTaken = () => {
  const { data } = useQuery(app.team.settings.queryOptions({}));
  const who = t('Mitglieder und offene Einladungen.', 'Members and pending invitations.');
  if (!data) return who;
  return `${who} ${seatsTakenText(data.seats)}.`;
};

const Person = ({ member: { id, name, email, from_directory: isKept } }: { member: TeamMember }) => {
  const isMe = useSignedIn().team.member_id === id;
  return (
    <PersonName
      name={name}
      email={email}
      to={`/members/${id}`}
      mark={
        <>
          {isMe && <Hint span inherit>{` ${t('(Sie)', '(you)')}`}</Hint>}
          {isKept && <DirectoryMark />}
        </>
      }
    />
  );
};

/** The figures of the members' trainings and assignments. */
const workColumns = (): readonly Column<ListedMember>[] => [
  {
    label: t('Letztes Training', 'Last training'),
    name: 'activity',
    value: ({ work }) => work?.last_training_at,
    cell: 'time',
    priority: 0,
  },
  {
    label: t('Ø\u00a0Punktzahl', 'Avg.\u00a0score'),
    name: 'average',
    value: ({ work }) => work?.average,
    cell: ({ work }) => (typeof work?.average === 'number' ? oneDecimal(work.average) : '–'),
    align: 'end',
    priority: 1,
  },
  {
    label: t('Änderung', 'Change'),
    name: 'change',
    value: ({ work }) => work?.change,
    cell: ({ work }) => <Delta value={work?.change ?? null} />,
    align: 'end',
    priority: 3,
  },
  {
    label: t('Offen', 'Open'),
    name: 'open',
    value: ({ work }) => work?.open,
    cell: ({ id, work }) => (work ? <OfMember to={unfinishedOf(id)} count={work.open} /> : '–'),
    align: 'end',
    priority: 3,
  },
  {
    label: t('Überfällig', 'Overdue'),
    name: 'overdue',
    value: ({ work }) => work?.overdue,
    cell: ({ id, work }) => (work ? <OfMember to={overdueOf(id)} count={work.overdue} /> : '–'),
    align: 'end',
    priority: 2,
  },
];

const oneDecimal = (value: number): string => value.toLocaleString(locale(), { minimumFractionDigits: 1 });

/** A number of assignments, with a link to them. */
const OfMember = ({ to, count: of }: { to: string; count: number }) =>
  of === 0 ? (
    '0'
  ) : (
    <TextLink to={to} inherit>
      {number(of)}
    </TextLink>
  );

const memberColumns = (showsWork: boolean): readonly Column<ListedMember>[] => [
  { label: t('Mitglieds-ID', 'Member ID'), value: ({ id }) => id },
  { label: t('Name', 'Name'), value: ({ name }) => name },
  { label: t('E-Mail', 'Email'), value: ({ email }) => email },
  { label: t('Externe ID', 'External ID'), value: ({ external_id }) => external_id },
  {
    label: t('Person', 'Person'),
    name: 'name',
    cell: (member) => <Person member={member} />,
  },
  {
    label: t('Rolle', 'Role'),
    name: 'role',
    alwaysShown: true,
    value: ({ role }) => role,
    cell: ({ role }) => roleName(role),
  },
  {
    label: t('Status', 'Status'),
    name: 'status',
    alwaysShown: true,
    value: ({ status }) => status,
    cell: (member) => <Membership member={member} brief />,
  },
  ...(showsWork ? workColumns() : []),
  {
    label: t('Beigetreten', 'Joined'),
    name: 'joined',
    value: ({ joined_at }) => joined_at,
    cell: 'time',
    priority: 4,
  },
  {
    label: t('Berechtigungen', 'Permissions'),
    value: ({ rights }) => rights.join(' '),
    cell: (member) => <Permissions member={member} />,
    priority: 6,
  },
  {
    label: t('2FA', '2FA'),
    name: 'two_factor',
    value: ({ two_factor }) => two_factor,
    cell: (member) => <SecondFactor member={member} />,
    priority: 5,
  },
  { label: t('Aus dem Verzeichnis', 'From the directory'), value: ({ from_directory }) => from_directory },
  { label: t('Eingeladen', 'Invited'), value: ({ invited_at }) => invited_at },
  { label: t('Einladung gültig bis', 'Invitation expires'), value: ({ invitation }) => invitation?.expires_at },
];
