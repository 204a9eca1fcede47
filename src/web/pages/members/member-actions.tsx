import { Menu, Text, TextInput } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import { Link } from 'react-router';
import type { appRouter } from '../../../modules/app-router.ts';
import { Consequences, useConfirm } from '../../kit/dialog.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import { notify } from '../../kit/messages.tsx';
import { RowActions } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';

interface MemberActionsProps {
  member: TeamMember;
  changes: MemberChanges;
  onHandOver: (member: TeamMember) => void;
}

const LinksToOtherPages = ({ member: { id, user_id } }: { member: TeamMember }) => {
  const t = useText();
  const { team } = useSignedIn();
  return (
    <>
      {team.privacy.member_detail && (
        <>
          {user_id !== null && (
            <Menu.Item component={Link} to={`/trainings?user_id=${user_id}`}>
              {t('Trainings ansehen', 'See trainings')}
            </Menu.Item>
          )}
          <Menu.Item component={Link} to={`/assignments?member=${id}`}>
            {t('Aufgaben ansehen', 'See assignments')}
          </Menu.Item>
        </>
      )}
      <Menu.Item component={Link} to={`/catalog?member=${id}`}>
        {t('Vorgaben ansehen', 'See their policy')}
      </Menu.Item>
    </>
  );
};

/** The actions that the reader may take with a member. */
export const MemberActions = ({ member, changes, onHandOver }: MemberActionsProps) => {
  const t = useText();
  const { may } = useSignedIn();
  const { role, status, rights } = member;
  return (
    <RowActions name={nameOf(member)}>
      <LinksToOtherPages member={member} />
      {role !== 'owner' && (
        <>
          <Menu.Divider />
          {status === 'invited' && (
            <Menu.Item onClick={() => changes.resend(member)}>
              {t('Einladung erneut senden', 'Send the invitation again')}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => changes.changeRole(member)}>
            {role === 'admin' ? t('Zum Mitglied machen', 'Make a member') : t('Zum Admin machen', 'Make an admin')}
          </Menu.Item>
          {may('owner') && (
            <Menu.Item onClick={() => changes.changePermission(member)}>
              {rights.includes(keyPermission)
                ? t('Berechtigung für API-Schlüssel entziehen', 'Revoke permission for API keys')
                : t('Berechtigung für API-Schlüssel erteilen', 'Grant permission for API keys')}
            </Menu.Item>
          )}
          {may('owner') && status === 'active' && (
            <Menu.Item onClick={() => onHandOver(member)}>{t('Team übergeben …', 'Hand the team over …')}</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item c="var(--bad)" onClick={() => changes.remove(member)}>
            {status === 'invited'
              ? t('Einladung zurückziehen …', 'Withdraw the invitation …')
              : t('Aus dem Team entfernen …', 'Remove from the team …')}
          </Menu.Item>
        </>
      )}
    </RowActions>
  );
};

type Change = 'changeRole' | 'changePermission' | 'resend' | 'remove';
type MemberChanges = Readonly<Record<Change, (member: TeamMember) => void>>;

/** Changes of a member, each after a confirmation that lists its consequences. */
export const useMemberChanges = (): MemberChanges => {
  const t = useText();
  const confirm = useConfirm();
  const consequences = useConsequences();
  const changeRole = api.useMutation('members.changeRole');
  const remove = api.useMutation('members.remove');
  const setRights = app.useMutation('members.setRights');
  const resend = app.useMutation('members.resend');

  return {
    changeRole: (member) => {
      const name = nameOf(member);
      const up = member.role !== 'admin';
      confirm({
        title: up
          ? t(`${name} zum Admin machen?`, `Make ${name} an admin?`)
          : t(`${name} zum Mitglied machen?`, `Make ${name} a member?`),
        consequences: <Consequences points={up ? consequences.promotion() : consequences.demotion(member)} />,
        action: up ? t('Zum Admin machen', 'Make an admin') : t('Zum Mitglied machen', 'Make a member'),
        harmless: up,
        act: async () => {
          await changeRole.mutateAsync({ member_id: member.id, role: up ? 'admin' : 'member' });
          notify(
            up
              ? t(`${name} ist jetzt Admin.`, `${name} is an admin now.`)
              : t(`${name} ist jetzt Mitglied.`, `${name} is a member now.`),
          );
        },
      });
    },

    changePermission: (member) => {
      const name = nameOf(member);
      const grants = !member.rights.includes(keyPermission);
      confirm({
        title: grants
          ? t(`${name} die Berechtigung für API-Schlüssel erteilen?`, `Grant ${name} permission for API keys?`)
          : t(`${name} die Berechtigung für API-Schlüssel entziehen?`, `Revoke ${name}’s permission for API keys?`),
        consequences: (
          <Consequences
            points={grants ? consequences.permissionGranted(member) : consequences.permissionRevoked(member)}
          />
        ),
        action: grants
          ? t('Berechtigung erteilen', 'Grant permission')
          : t('Berechtigung entziehen', 'Revoke permission'),
        harmless: grants,
        act: async () => {
          await setRights.mutateAsync({ member_id: member.id, rights: grants ? [keyPermission] : [] });
          notify(t('Die Berechtigung ist geändert.', 'The permission is changed.'));
        },
      });
    },

    resend: (member) => {
      confirm({
        title: t('Einladung erneut senden?', 'Send the invitation again?'),
        consequences: <Consequences points={consequences.resent(member)} />,
        action: t('Erneut senden', 'Send again'),
        harmless: true,
        act: async () => {
          await resend.mutateAsync({ member_id: member.id });
          notify(
            t(`Die Einladung an ${member.email} ist unterwegs.`, `The invitation to ${member.email} is on its way.`),
          );
        },
      });
    },

    remove: (member) => {
      const name = nameOf(member);
      const invited = member.status === 'invited';
      confirm({
        title: invited
          ? t(`Einladung an ${name} zurückziehen?`, `Withdraw the invitation to ${name}?`)
          : t(`${name} aus dem Team entfernen?`, `Remove ${name} from the team?`),
        consequences: <Consequences points={invited ? consequences.withdrawn() : consequences.removed(member)} />,
        action: invited ? t('Zurückziehen', 'Withdraw') : t('Entfernen', 'Remove'),
        act: async () => {
          await remove.mutateAsync({ member_id: member.id });
          notify(
            invited
              ? t('Die Einladung ist zurückgezogen.', 'The invitation is withdrawn.')
              : t(`${name} gehört nicht mehr zum Team.`, `${name} is no longer in the team.`),
          );
        },
      });
    },
  };
};

/** The consequences of each change, in words. */
const useConsequences = () => {
  const t = useText();
  const { data: limits } = app.useQuery('reference.limits', {});
  const { data: settings } = app.useQuery('team.settings', {});

  const keysStay = (name: string) =>
    t(
      `API-Schlüssel, die ${name} angelegt hat, gelten weiter, können aber niemanden mehr zum Admin machen oder Admins entfernen.`,
      `API keys that ${name} created stay valid, but can no longer make anybody an admin or remove admins.`,
    );
  const lastAdmin = t(
    'Ein Team hat immer mindestens einen aktiven Admin: Der letzte muss erst ein anderes Mitglied zum Admin machen.',
    'A team always has at least one active admin: the last one must first make another member an admin.',
  );

  return {
    promotion: () => [
      t(
        'Admins laden ein und entfernen, vergeben Aufgaben und Vorgaben und ändern die Einstellungen des Teams.',
        'Admins invite and remove people, give assignments and policies, and change the team’s settings.',
      ),
      t(
        'Webhooks, Anfragen und das Protokoll stehen ihnen offen. API-Schlüssel legen sie nur mit der Berechtigung dazu an, die der Inhaber erteilt.',
        'Webhooks, the request log and the audit log are open to them. To create API keys they need permission, which the owner grants.',
      ),
    ],

    demotion: (member: TeamMember) => [
      t(
        'Die Seiten zur Verwaltung des Teams sind dann sofort gesperrt.',
        'The pages for administering the team are blocked at once.',
      ),
      keysStay(nameOf(member)),
      lastAdmin,
    ],

    permissionGranted: ({ role }: TeamMember) => [
      t(
        'Mit dieser Berechtigung kann die Person API-Schlüssel anlegen, ablösen und widerrufen.',
        'With this permission, the person can create, replace and revoke API keys.',
      ),
      role === 'member'
        ? t('Wirksam wird es, sobald die Person Admin ist.', 'It takes effect as soon as the person is an admin.')
        : undefined,
    ],

    permissionRevoked: (member: TeamMember) => [
      t(
        `${nameOf(member)} kann keine API-Schlüssel mehr anlegen, ablösen oder widerrufen.`,
        `${nameOf(member)} can no longer create, replace or revoke API keys.`,
      ),
      t('Schlüssel, die es schon gibt, gelten weiter.', 'Keys that exist stay valid.'),
    ],

    resent: ({ email }: TeamMember) => [
      limits
        ? t(
            `${email} bekommt einen neuen Link, der ${limits.invitation_days} Tage gilt.`,
            `${email} gets a new link that is valid for ${limits.invitation_days} days.`,
          )
        : undefined,
      t('Der Link in der früheren Mail gilt nicht mehr.', 'The link in the former mail stops working.'),
      settings
        ? t(
            `Das zählt als Einladung: in dieser Stunde sind noch ${settings.invitations.left} von ${settings.invitations.limit} übrig.`,
            `It counts as an invitation: ${settings.invitations.left} of ${settings.invitations.limit} are left this hour.`,
          )
        : undefined,
    ],

    withdrawn: () => [
      t('Der Link in der Mail gilt sofort nicht mehr.', 'The link in the mail stops working at once.'),
      t(
        'Der Platz wird frei. Schon vergebene Aufgaben werden zurückgezogen.',
        'The seat becomes free. Assignments that were given are revoked.',
      ),
    ],

    removed: (member: TeamMember) => [
      t('Der Zugang endet sofort, auch in offenen Sitzungen.', 'Access ends at once, in open sessions too.'),
      t(
        'Alle Aufgaben der Person werden zurückgezogen; das lässt sich nicht rückgängig machen.',
        'All of the person’s assignments are revoked; this can’t be undone.',
      ),
      t(
        'Trainings und Auswertungen der Person erscheinen in keiner Liste mehr.',
        'The person’s trainings and evaluations no longer appear in any list.',
      ),
      keysStay(nameOf(member)),
      t(
        'Der Platz wird frei. Für eine Rückkehr ist eine neue Einladung nötig.',
        'The seat becomes free. To come back, the person needs a new invitation.',
      ),
      member.role === 'admin' ? lastAdmin : undefined,
    ],
  };
};

/** Makes somebody else the owner. To confirm, the person types the team's name. */
export const HandOver = ({ to, onDone }: { to: TeamMember; onDone: () => void }) => {
  const t = useText();
  const { team } = useSignedIn();
  const name = nameOf(to);
  const form = useServerForm({
    initial: { typed: '' },
    send: () => app.mutate('members.handOver', { member_id: to.id }),
    onSent: () => {
      notify(t(`Das Team gehört jetzt ${name}.`, `The team belongs to ${name} now.`));
      onDone();
    },
  });
  return (
    <Form
      form={form}
      action={t('Team übergeben', 'Hand over')}
      harmful
      disabled={form.values.typed.trim() !== team.name.trim()}
      onCancel={onDone}
    >
      <Text size="sm">{t(`„${team.name}“ gehört danach ${name}.`, `“${team.name}” will then belong to ${name}.`)}</Text>
      <Consequences
        points={[
          t('Sie bleiben Admin, ohne die Rechte des Inhabers.', 'You stay an admin, without the rights of the owner.'),
          t(
            'API-Schlüssel anlegen können Sie danach nur noch, wenn der neue Inhaber Ihnen die Berechtigung gibt.',
            'You can create API keys only if the new owner gives you permission.',
          ),
          t(
            'Sie können das nicht selbst rückgängig machen: das kann nur der neue Inhaber.',
            'You can’t undo this yourself: only the new owner can.',
          ),
          t('Beide bekommen eine Mail.', 'Both of you get a mail.'),
        ]}
      />
      <TextInput
        label={t('Zur Bestätigung den Namen des Teams eingeben', 'To confirm, type the name of the team')}
        description={team.name}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('typed')}
      />
    </Form>
  );
};

export type TeamMember = inferRouterOutputs<typeof appRouter>['members']['list']['data'][number];

/** The server's name of the permission to manage API keys. */
export const keyPermission = 'schnittstellen';

const nameOf = ({ name, email }: Pick<TeamMember, 'name' | 'email'>): string => name ?? email;
