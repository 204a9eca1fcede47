import { List, Menu, Stack, Text, TextInput } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'react-router';
import type { appRouter } from '../../../modules/app-router.ts';
import { DialogButtons, useConfirm } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { RowActions } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';

interface MemberActionsProps {
  member: TeamMember;
  questions: MemberQuestions;
  onHandOver: (member: TeamMember) => void;
}

const Elsewhere = ({ member: { id, user_id } }: { member: TeamMember }) => {
  const t = useText();
  const { team } = useHere();
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

/** What can be done with somebody, by who looks. */
export const MemberActions = ({ member, questions, onHandOver }: MemberActionsProps) => {
  const t = useText();
  const { may } = useHere();
  const { role, status, rights } = member;
  return (
    <RowActions of={nameOf(member)}>
      <Elsewhere member={member} />
      {role !== 'owner' && (
        <>
          <Menu.Divider />
          {status === 'invited' && (
            <Menu.Item onClick={() => questions.resend(member)}>
              {t('Einladung noch einmal senden', 'Send the invitation again')}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => questions.changeRole(member)}>
            {role === 'admin' ? t('Zum Mitglied machen', 'Make a member') : t('Zum Admin machen', 'Make an admin')}
          </Menu.Item>
          {may('owner') && (
            <Menu.Item onClick={() => questions.changeRights(member)}>
              {rights.includes(keyRight)
                ? t('Recht auf API-Schlüssel nehmen', 'Take the right to API keys')
                : t('Recht auf API-Schlüssel geben', 'Give the right to API keys')}
            </Menu.Item>
          )}
          {may('owner') && status === 'active' && (
            <Menu.Item onClick={() => onHandOver(member)}>{t('Team übergeben …', 'Hand the team over …')}</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item c="var(--bad)" onClick={() => questions.remove(member)}>
            {status === 'invited'
              ? t('Einladung zurückziehen …', 'Withdraw the invitation …')
              : t('Aus dem Team entfernen …', 'Remove from the team …')}
          </Menu.Item>
        </>
      )}
    </RowActions>
  );
};

type Question = 'changeRole' | 'changeRights' | 'resend' | 'remove';
type MemberQuestions = Readonly<Record<Question, (member: TeamMember) => void>>;

/** Asks before anything changes for somebody, and says what follows from it. */
export const useMemberQuestions = (): MemberQuestions => {
  const t = useText();
  const ask = useConfirm();
  const consequences = useConsequences();
  const changeRole = api.useChange('members.changeRole');
  const remove = api.useChange('members.remove');
  const setRights = app.useChange('members.setRights');
  const resend = app.useChange('members.resend');

  return {
    changeRole: (member) => {
      const name = nameOf(member);
      const up = member.role !== 'admin';
      ask({
        title: up
          ? t(`${name} zum Admin machen?`, `Make ${name} an admin?`)
          : t(`${name} zum Mitglied machen?`, `Make ${name} a member?`),
        consequences: <Consequences of={up ? consequences.promotion() : consequences.demotion(member)} />,
        action: up ? t('Zum Admin machen', 'Make an admin') : t('Zum Mitglied machen', 'Make a member'),
        harmless: up,
        act: async () => {
          await changeRole.mutateAsync({ member_id: member.id, role: up ? 'admin' : 'member' });
          tell(
            up
              ? t(`${name} ist jetzt Admin.`, `${name} is an admin now.`)
              : t(`${name} ist jetzt Mitglied.`, `${name} is a member now.`),
          );
        },
      });
    },

    changeRights: (member) => {
      const name = nameOf(member);
      const give = !member.rights.includes(keyRight);
      ask({
        title: give
          ? t(`${name} das Recht auf API-Schlüssel geben?`, `Give ${name} the right to API keys?`)
          : t(`${name} das Recht auf API-Schlüssel nehmen?`, `Take the right to API keys from ${name}?`),
        consequences: <Consequences of={give ? consequences.rightGiven(member) : consequences.rightTaken(member)} />,
        action: give ? t('Recht geben', 'Give the right') : t('Recht nehmen', 'Take the right'),
        harmless: give,
        act: async () => {
          await setRights.mutateAsync({ member_id: member.id, rights: give ? [keyRight] : [] });
          tell(t('Das Recht ist geändert.', 'The right is changed.'));
        },
      });
    },

    resend: (member) => {
      ask({
        title: t('Einladung noch einmal senden?', 'Send the invitation again?'),
        consequences: <Consequences of={consequences.resent(member)} />,
        action: t('Noch einmal senden', 'Send again'),
        harmless: true,
        act: async () => {
          await resend.mutateAsync({ member_id: member.id });
          tell(
            t(`Die Einladung an ${member.email} ist unterwegs.`, `The invitation to ${member.email} is on its way.`),
          );
        },
      });
    },

    remove: (member) => {
      const name = nameOf(member);
      const invited = member.status === 'invited';
      ask({
        title: invited
          ? t(`Einladung an ${name} zurückziehen?`, `Withdraw the invitation to ${name}?`)
          : t(`${name} aus dem Team entfernen?`, `Remove ${name} from the team?`),
        consequences: <Consequences of={invited ? consequences.withdrawn() : consequences.removed(member)} />,
        action: invited ? t('Zurückziehen', 'Withdraw') : t('Entfernen', 'Remove'),
        act: async () => {
          await remove.mutateAsync({ member_id: member.id });
          tell(
            invited
              ? t('Die Einladung ist zurückgezogen.', 'The invitation is withdrawn.')
              : t(`${name} gehört nicht mehr zum Team.`, `${name} is no longer in the team.`),
          );
        },
      });
    },
  };
};

/** What follows when something changes for somebody, in words. */
const useConsequences = () => {
  const t = useText();
  const { data: limits } = app.useAnswer('reference.limits', {});
  const { data: settings } = app.useAnswer('team.settings', {});

  const keysStay = (name: string) =>
    t(
      `API-Schlüssel, die ${name} angelegt hat, gelten weiter, können aber niemanden mehr zum Admin machen oder Admins entfernen.`,
      `API keys that ${name} made stay valid, but can no longer make anybody an admin or remove admins.`,
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
        'Webhooks, Anfragen und das Protokoll stehen ihnen offen. API-Schlüssel legen sie nur mit dem Recht dazu an, das der Inhaber gibt.',
        'Webhooks, the request log and the audit log are open to them. To make API keys they need the right that the owner gives.',
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

    rightGiven: ({ role }: TeamMember) => [
      t(
        'Mit diesem Recht kann die Person API-Schlüssel anlegen, ablösen und widerrufen.',
        'With this right, the person can make, replace and revoke API keys.',
      ),
      role === 'member'
        ? t('Wirksam wird es, sobald die Person Admin ist.', 'It takes effect as soon as the person is an admin.')
        : undefined,
    ],

    rightTaken: (member: TeamMember) => [
      t(
        `${nameOf(member)} kann keine API-Schlüssel mehr anlegen, ablösen oder widerrufen.`,
        `${nameOf(member)} can no longer make, replace or revoke API keys.`,
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

/** Makes somebody else the owner, once the team's name was typed. */
export const HandOver = ({ to, onDone }: { to: TeamMember; onDone: () => void }) => {
  const t = useText();
  const { team } = useHere();
  const handOver = app.useChange('members.handOver');
  const [typed, setTyped] = useState('');
  const name = nameOf(to);
  const isSure = typed.trim() === team.name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isSure) return;
    handOver.mutate(
      { member_id: to.id },
      {
        onSuccess: () => {
          tell(t(`Das Team gehört jetzt ${name}.`, `The team belongs to ${name} now.`));
          onDone();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          {t(`„${team.name}“ gehört danach ${name}.`, `“${team.name}” will then belong to ${name}.`)}
        </Text>
        <Consequences
          of={[
            t(
              'Sie bleiben Admin, ohne die Rechte des Inhabers.',
              'You stay an admin, without the rights of the owner.',
            ),
            t(
              'API-Schlüssel anlegen können Sie danach nur noch, wenn der neue Inhaber Ihnen das Recht gibt.',
              'You can make API keys only if the new owner gives you the right.',
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
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ProblemAlert error={handOver.error} />
        <DialogButtons
          action={t('Team übergeben', 'Hand over')}
          running={handOver.isPending}
          onCancel={onDone}
          harmful
          disabled={!isSure}
        />
      </Stack>
    </form>
  );
};

/** What follows from something, point by point. */
const Consequences = ({ of }: { of: readonly (string | undefined)[] }) => (
  <List size="sm" spacing={6}>
    {of.map((point) => point !== undefined && <List.Item key={point}>{point}</List.Item>)}
  </List>
);

export type TeamMember = inferRouterOutputs<typeof appRouter>['members']['list']['data'][number];

/** The right to make keys, as the server calls it. */
export const keyRight = 'schnittstellen';

const nameOf = ({ name, email }: Pick<TeamMember, 'name' | 'email'>): string => name ?? email;
