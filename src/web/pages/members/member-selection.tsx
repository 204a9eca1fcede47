import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ListCount } from '../../../platform/paging.ts';
import { useBulkActions } from '../../kit/list/bulk-actions.tsx';
import { notifyProblem } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { client, type AppInputs } from '../../server/server.ts';
import { readAllMembers } from './all-members.ts';
import {
  changedText,
  invitations,
  leftOutTexts,
  members,
  removalQuestion,
  removedText,
  resendQuestion,
  resentText,
  roleEffect,
  roleQuestion,
  withdrawalQuestion,
  withdrawnText,
} from './figures.ts';
import { Holdings } from './holdings.tsx';
import type { TeamMember } from './member-actions.tsx';
import { amongChosen } from './rights.ts';

type MemberFilters = AppInputs['members']['count'];

const keyOf = ({ id }: TeamMember): string => id;

interface FilteredMembers {
  /** The filters of the list. */
  matching: MemberFilters;
  /** How many members match them. */
  count: ListCount | undefined;
  onAssign: () => void;
}

interface ChosenMembers extends Pick<ReturnType<typeof useBulkActions>, 'ask' | 'forGood'> {
  chosen: readonly TeamMember[];
  /** The ids of the members whose role can be changed, and who can be removed. */
  changeable: string[];
  invited: string[];
}

/** The questions before the actions on several members. */
const questionsAbout = ({ chosen, changeable, invited, ask, forGood }: ChosenMembers) => {
  const people = members(changeable.length);
  const withInvitation = invitations(invited.length);

  const confirmRole = (role: 'admin' | 'member'): void => {
    const up = role === 'admin';
    ask({
      title: roleQuestion(changeable.length, role),
      points: [roleEffect(role), ...leftOutTexts({ chosen, changeable: changeable.length })],
      action: t('Rolle ändern', 'Change role'),
      harmless: up,
      ids: changeable,
      call: (part) => client.app.members.changeRoleMany.mutate({ member_ids: part, role }),
      doneText: changedText,
    });
  };

  const confirmRemoval = (): void =>
    ask({
      title: removalQuestion(changeable.length),
      points: [
        t('Der Zugriff endet sofort, auch in aktiven Sitzungen.', 'Access ends immediately, also in active sessions.'),
        t(
          'Alle Aufgaben dieser Personen werden zurückgezogen. Das kann nicht rückgängig gemacht werden.',
          'All assignments of these people are withdrawn. This can’t be undone.',
        ),
        t('Die Plätze werden frei.', 'The seats become available.'),
        ...leftOutTexts({ chosen, changeable: changeable.length }),
      ],
      ...forGood(changeable, t(`${people} wirklich aus dem Team entfernen?`, `Really remove ${people} from the team?`)),
      consequences: <Holdings ids={changeable} />,
      action: t('Entfernen', 'Remove'),
      ids: changeable,
      call: (part) => client.app.members.removeMany.mutate({ member_ids: part }),
      doneText: removedText,
    });

  const confirmResend = (): void =>
    ask({
      title: resendQuestion(invited.length),
      points: [
        t(
          'Jede Person erhält einen neuen Link. Der bisherige Link wird ungültig.',
          'Each person gets a new link. The previous link stops working.',
        ),
        t(
          'Jede zählt für das Limit der Einladungen pro Stunde.',
          'Each counts towards the limit of invitations per hour.',
        ),
      ],
      action: t('Erneut senden', 'Resend'),
      harmless: true,
      ids: invited,
      call: (part) => client.app.members.resendMany.mutate({ member_ids: part }),
      doneText: resentText,
    });

  const confirmWithdrawal = (): void =>
    ask({
      title: withdrawalQuestion(invited.length),
      points: [
        t('Die Links in den E-Mails werden sofort ungültig.', 'The links in the emails stop working immediately.'),
        t(
          'Die Plätze werden frei. Zugewiesene Aufgaben werden zurückgezogen.',
          'The seats become available. Existing assignments are withdrawn.',
        ),
      ],
      ...forGood(invited, t(`${withInvitation} wirklich zurückziehen?`, `Really withdraw ${withInvitation}?`)),
      action: t('Zurückziehen', 'Withdraw'),
      ids: invited,
      call: (part) => client.app.members.withdrawMany.mutate({ member_ids: part }),
      doneText: withdrawnText,
    });

  return { confirmRole, confirmRemoval, confirmResend, confirmWithdrawal };
};

interface ActionsProps extends ReturnType<typeof questionsAbout>, Pick<ChosenMembers, 'changeable' | 'invited'> {
  isRunning: boolean;
  onAssign: () => void;
}

/** The buttons of the actions on several members. */
const Actions = ({
  changeable,
  invited,
  isRunning,
  onAssign,
  confirmRole,
  confirmRemoval,
  confirmResend,
  confirmWithdrawal,
}: ActionsProps) => (
  <>
    <Button variant="filled" size="compact-sm" disabled={isRunning} onClick={onAssign}>
      {t('Aufgabe zuweisen', 'Create assignment')}
    </Button>
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          size="compact-sm"
          disabled={isRunning || changeable.length === 0}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {t('Rolle ändern', 'Change role')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => confirmRole('admin')}>{t('Zu Admins machen …', 'Make admins …')}</Menu.Item>
        <Menu.Item onClick={() => confirmRole('member')}>{t('Zu Mitgliedern machen …', 'Make members …')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
    {invited.length > 0 && (
      <>
        <Button size="compact-sm" disabled={isRunning} onClick={confirmResend}>
          {t('Einladungen erneut senden', 'Resend invitations')}
        </Button>
        <Button size="compact-sm" c="var(--bad)" disabled={isRunning} onClick={confirmWithdrawal}>
          {t('Einladungen zurückziehen', 'Withdraw invitations')}
        </Button>
      </>
    )}
    <Button size="compact-sm" c="var(--bad)" disabled={isRunning || changeable.length === 0} onClick={confirmRemoval}>
      {t('Aus dem Team entfernen', 'Remove from team')}
    </Button>
  </>
);

/**
 * The actions on several members: give them an assignment, change their role, remove them, and send their invitations
 * again or withdraw them. The members are selected in the list, or they are all members that match its filters.
 */
export const useMemberSelection = (
  rows: readonly TeamMember[] | undefined,
  { matching, count: matches, onAssign }: FilteredMembers,
) => {
  /** All members that match, once the reader has selected them. */
  const [everyone, setEveryone] = useState<readonly TeamMember[]>();
  const filters = JSON.stringify(matching);
  useEffect(() => setEveryone(undefined), [filters]);
  const { selection, chosen, start, ask, forGood, isRunning, outcome } = useBulkActions(
    everyone ?? rows,
    ({ name, email }) => name ?? email,
  );
  const reading = useMutation({
    mutationFn: () => readAllMembers(matching),
    onSuccess: (all) => {
      setEveryone(all);
      selection.set({ keys: new Set(all.map(keyOf)), last: undefined });
    },
    onError: notifyProblem,
  });
  const among = amongChosen(chosen);
  const [changeable, invited] = [among.changeable.map(keyOf), among.invited.map(keyOf)];
  const asked = { chosen, changeable, invited, ask, forGood };
  const actions = <Actions {...asked} {...questionsAbout(asked)} isRunning={isRunning} onAssign={onAssign} />;
  const all =
    matches && !matches.more
      ? { count: matches.count, select: () => reading.mutate(), isLoading: reading.isPending }
      : undefined;
  return {
    selection: { ...selection, actions, all },
    chosen,
    /** For the dialog that creates assignments: members who got the assignment are no longer selected. */
    start,
    outcome,
  };
};
