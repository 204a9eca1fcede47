import { Menu, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Lines } from '../../kit/text/cut.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { undoable } from '../../kit/dialog/undo.ts';
import { Consequences } from '../../kit/dialog/dialog.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { adviceOn } from '../../kit/page/advice.ts';
import { RowActions } from '../../kit/list/row-actions.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { permissionChange, roleChange } from './changes.ts';
import { invitationsLeftText, roleTexts } from './figures.ts';
import { Holdings } from './holdings.tsx';
import { assignmentsOf, policyOf, trainingsOf } from './links.ts';
import { actionsOn, hasKeyRight, linksFrom } from './rights.ts';

interface MemberActionsProps {
  member: TeamMember;
  changes: MemberChanges;
  onHandOver: (member: TeamMember) => void;
}

const LinksToOtherPages = ({ member }: { member: TeamMember }) => {
  const { team } = useSignedIn();
  const { id, user_id } = member;
  const leadsTo = linksFrom(member, team.privacy);
  return (
    <>
      {leadsTo.trainings && user_id !== null && (
        <Menu.Item component={Link} to={trainingsOf(user_id)}>
          {t('Trainings ansehen', 'View trainings')}
        </Menu.Item>
      )}
      {leadsTo.assignments && (
        <Menu.Item component={Link} to={assignmentsOf(id)}>
          {t('Aufgaben ansehen', 'View assignments')}
        </Menu.Item>
      )}
      <Menu.Item component={Link} to={policyOf(id)}>
        {t('Freigaben ansehen', 'View policy')}
      </Menu.Item>
    </>
  );
};

export const MemberActions = ({ member, changes, onHandOver }: MemberActionsProps) => {
  const { may } = useSignedIn();
  const can = actionsOn(member, may);
  const changesPermission = can.grant || can.revoke;
  return (
    <RowActions name={nameOf(member)}>
      <LinksToOtherPages member={member} />
      {Object.values(can).includes(true) && <Menu.Divider />}
      {can.resend && (
        <Menu.Item onClick={() => changes.resend(member)}>
          {t('Einladung erneut senden …', 'Resend invitation …')}
        </Menu.Item>
      )}
      {can.promote && (
        <Menu.Item onClick={() => changes.changeRole(member)}>{t('Zum Admin machen …', 'Make an admin …')}</Menu.Item>
      )}
      {can.demote && (
        <Menu.Item onClick={() => changes.changeRole(member)}>
          {t('Zum Mitglied machen …', 'Make a member …')}
        </Menu.Item>
      )}
      {changesPermission && (
        <Menu.Item onClick={() => changes.changePermission(member)}>
          {can.grant
            ? t('Berechtigung für API-Schlüssel erteilen …', 'Grant permission for API keys …')
            : t('Berechtigung für API-Schlüssel entziehen …', 'Revoke permission for API keys …')}
        </Menu.Item>
      )}
      {can.transfer && (
        <Menu.Item onClick={() => onHandOver(member)}>{t('Team übergeben …', 'Transfer team …')}</Menu.Item>
      )}
      {(can.withdraw || can.remove) && (
        <>
          <Menu.Divider />
          <Menu.Item c="var(--bad)" onClick={() => changes.remove(member)}>
            {can.withdraw
              ? t('Einladung zurückziehen …', 'Withdraw invitation …')
              : t('Aus dem Team entfernen …', 'Remove from team …')}
          </Menu.Item>
        </>
      )}
    </RowActions>
  );
};

type MemberChange = 'changeRole' | 'changePermission' | 'resend' | 'remove';
type MemberChanges = Readonly<Record<MemberChange, (member: TeamMember) => void>>;

/** Changes of a member, each after a confirmation that lists its consequences. */
export const useMemberChanges = (): MemberChanges => {
  const confirm = useConfirm();
  const consequences = useConsequences();

  return {
    changeRole: (member) => {
      const up = member.role !== 'admin';
      const { question, action, done } = roleTexts(nameOf(member), up ? 'admin' : 'member');
      confirm({
        title: question,
        points: up ? consequences.promotion() : consequences.demotion(member),
        action,
        harmless: up,
        ...undoable((input) => client.api.members.changeRole.mutate(input), roleChange(member)),
        done,
      });
    },

    changePermission: (member) => {
      const name = nameOf(member);
      const grants = !hasKeyRight(member);
      confirm({
        title: grants
          ? t(`${name} die Berechtigung für API-Schlüssel erteilen?`, `Grant ${name} permission for API keys?`)
          : t(`${name} die Berechtigung für API-Schlüssel entziehen?`, `Revoke ${name}’s permission for API keys?`),
        points: grants ? consequences.permissionGranted(member) : consequences.permissionRevoked(member),
        action: grants
          ? t('Berechtigung erteilen', 'Grant permission')
          : t('Berechtigung entziehen', 'Revoke permission'),
        harmless: grants,
        ...undoable((input) => client.app.members.setRights.mutate(input), permissionChange(member)),
        done: t('Berechtigung geändert.', 'Permission changed.'),
      });
    },

    resend: (member) => {
      confirm({
        title: t('Einladung erneut senden?', 'Resend the invitation?'),
        points: consequences.resent(member),
        action: t('Erneut senden', 'Resend'),
        harmless: true,
        act: () => client.app.members.resend.mutate({ member_id: member.id }),
        done: t(`Einladung an ${member.email} gesendet.`, `Invitation sent to ${member.email}.`),
      });
    },

    remove: (member) => {
      const name = nameOf(member);
      const invited = member.status === 'invited';
      confirm({
        title: invited
          ? t(`Einladung an ${name} zurückziehen?`, `Withdraw the invitation to ${name}?`)
          : t(`${name} aus dem Team entfernen?`, `Remove ${name} from the team?`),
        points: invited ? consequences.withdrawn() : consequences.removed(member),
        consequences: <Holdings ids={[member.id]} />,
        action: invited ? t('Zurückziehen', 'Withdraw') : t('Entfernen', 'Remove'),
        act: () => (invited ? client.app.members.withdraw : client.api.members.remove).mutate({ member_id: member.id }),
        done: invited
          ? t('Einladung zurückgezogen.', 'Invitation withdrawn.')
          : t(`${name} wurde aus dem Team entfernt.`, `${name} was removed from the team.`),
      });
    },
  };
};

const useConsequences = () => {
  const { data: limits } = useQuery(app.reference.limits.queryOptions({}));
  const { data: settings } = useQuery(app.team.settings.queryOptions({}));

  const keysStay = (name: string) =>
    t(
      `Von ${name} angelegte API-Schlüssel bleiben gültig, können aber keine Admins mehr ernennen oder entfernen.`,
      `API keys created by ${name} stay valid, but can no longer add or remove admins.`,
    );
  const lastAdmin = adviceOn({ code: 'last_admin' });

  return {
    promotion: () => [
      t(
        'Admins verwalten Mitglieder, Aufgaben, Freigaben und die Einstellungen des Teams.',
        'Admins manage members, assignments, policies and the team’s settings.',
      ),
      t(
        'Sie haben Zugriff auf Webhooks, Anfragen und das Protokoll. Für API-Schlüssel benötigen sie eine Berechtigung des Inhabers.',
        'They have access to webhooks, the request log and the audit log. For API keys they need permission from the owner.',
      ),
    ],

    demotion: (member: TeamMember) => [
      t('Der Zugriff auf die Verwaltung des Teams endet sofort.', 'Access to team administration ends immediately.'),
      keysStay(nameOf(member)),
      lastAdmin,
    ],

    permissionGranted: ({ role }: TeamMember) => [
      t(
        'Mit dieser Berechtigung kann die Person API-Schlüssel anlegen, rotieren und widerrufen.',
        'With this permission, the person can create, rotate and revoke API keys.',
      ),
      role === 'member'
        ? t('Die Berechtigung gilt erst, wenn die Person Admin ist.', 'It takes effect once the person is an admin.')
        : undefined,
    ],

    permissionRevoked: (member: TeamMember) => [
      t(
        `${nameOf(member)} kann keine API-Schlüssel mehr anlegen, rotieren oder widerrufen.`,
        `${nameOf(member)} can no longer create, rotate or revoke API keys.`,
      ),
      t('Bestehende Schlüssel bleiben gültig.', 'Existing keys stay valid.'),
    ],

    resent: ({ email }: TeamMember) => [
      limits
        ? t(
            `${email} erhält einen neuen Link, der ${limits.invitation_days} Tage gültig ist.`,
            `${email} gets a new link that is valid for ${limits.invitation_days} days.`,
          )
        : undefined,
      t('Der bisherige Link wird ungültig.', 'The previous link stops working.'),
      settings && invitationsLeftText(settings.invitations),
    ],

    withdrawn: () => [
      t('Der Link in der E-Mail wird sofort ungültig.', 'The link in the email stops working immediately.'),
      t(
        'Der Platz wird frei. Zugewiesene Aufgaben werden zurückgezogen.',
        'The seat becomes available. Existing assignments are withdrawn.',
      ),
    ],

    removed: (member: TeamMember) => [
      t('Der Zugriff endet sofort, auch in aktiven Sitzungen.', 'Access ends immediately, also in active sessions.'),
      t(
        'Alle Aufgaben der Person werden zurückgezogen. Das kann nicht rückgängig gemacht werden.',
        'All of the person’s assignments are withdrawn. This can’t be undone.',
      ),
      t(
        'Trainings und Bewertungen der Person werden nicht mehr angezeigt.',
        'The person’s trainings and evaluations are no longer shown.',
      ),
      keysStay(nameOf(member)),
      t(
        'Der Platz wird frei. Sie können die Person später erneut einladen.',
        'The seat becomes available. You can invite the person again later.',
      ),
      member.role === 'admin' ? lastAdmin : undefined,
    ],
  };
};

/** Makes another member the owner. To confirm, the person types the team's name. */
export const HandOver = ({ to, onDone }: { to: TeamMember; onDone: () => void }) => {
  const { team } = useSignedIn();
  const name = nameOf(to);
  const form = useServerForm({
    initial: { typed: '' },
    send: () => client.app.members.handOver.mutate({ member_id: to.id }),
    done: t(`Team an ${name} übergeben.`, `Team transferred to ${name}.`),
    onSent: onDone,
  });
  return (
    <Form
      form={form}
      action={t('Team übergeben', 'Transfer team')}
      harmful
      disabled={form.values.typed.trim() !== team.name.trim()}
      onCancel={onDone}
    >
      <Text size="sm">
        {t(`${name} wird Inhaber von „${team.name}“.`, `${name} becomes the owner of “${team.name}”.`)}
      </Text>
      <Consequences
        points={[
          t(
            'Sie bleiben Admin, verlieren aber die Berechtigungen des Inhabers.',
            'You stay an admin, but lose the owner’s permissions.',
          ),
          t(
            'API-Schlüssel können Sie nur noch mit Berechtigung des neuen Inhabers anlegen.',
            'You can create API keys only with the new owner’s permission.',
          ),
          t('Nur der neue Inhaber kann das rückgängig machen.', 'Only the new owner can undo this.'),
          t('Sie beide erhalten eine E-Mail.', 'Both of you will get an email.'),
        ]}
      />
      <TextInput
        label={t('Geben Sie zur Bestätigung den Namen des Teams ein', 'Enter the team name to confirm')}
        description={team.name}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('typed')}
      />
    </Form>
  );
};

export type ListedMember = AppOutputs['members']['list']['data'][number];
export type TeamMember = AppOutputs['members']['show'];

const nameOf = ({ name, email }: Pick<TeamMember, 'name' | 'email'>): string => name ?? email;

// The facts about a member that the list and the member's own page show.

interface MembershipProps {
  member: TeamMember;
  /** Shows only one of an invitation's times: when it expires, or, if it has expired, when it was sent. */
  brief?: boolean;
}

export const Membership = ({ member: { status, invitation, invited_at }, brief = false }: MembershipProps) => {
  if (status === 'active') return <Status tone="good">{t('Aktiv', 'Active')}</Status>;
  const isExpired = invitation?.expired === true;
  const times = [
    (!brief || isExpired) && invited_at !== null && (
      <span key="invited" style={{ whiteSpace: 'nowrap' }}>
        {t('eingeladen', 'invited')} <Time at={invited_at} />
      </span>
    ),
    invitation && !isExpired && (
      <span key="expires" style={{ whiteSpace: 'nowrap' }}>
        {t('läuft ab', 'expires')} <Time at={invitation.expires_at} />
      </span>
    ),
  ].filter(Boolean);
  return (
    <Lines below={times.length === 2 ? [times[0], ', ', times[1]] : times[0]}>
      {isExpired ? (
        <Status tone="warn">{t('Einladung abgelaufen', 'Invitation expired')}</Status>
      ) : (
        <Status tone="info">{t('Eingeladen', 'Invited')}</Status>
      )}
    </Lines>
  );
};

export const Permissions = ({ member }: { member: TeamMember }) => {
  if (member.role === 'owner') return t('Alle', 'All');
  return hasKeyRight(member) ? t('API-Schlüssel', 'API keys') : '–';
};

export const SecondFactor = ({ member: { status, two_factor } }: { member: TeamMember }) => {
  if (status !== 'active') return '–';
  return two_factor ? (
    <Status tone="good">{t('Aktiviert', 'Enabled')}</Status>
  ) : (
    <Status tone="plain">{t('Nicht aktiviert', 'Not enabled')}</Status>
  );
};
