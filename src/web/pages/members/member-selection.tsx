import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConfirm } from '../../kit/confirm.tsx';
import { Consequences } from '../../kit/dialog.tsx';
import { useCount } from '../../kit/formats.tsx';
import { mostAtOnce, useBulkOutcome, useSelected } from '../../kit/selection.tsx';
import type { Selection } from '../../kit/selection.tsx';
import { useText } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import type { TeamMember } from './member-actions.tsx';

const keyOf = ({ id }: TeamMember): string => id;
const nameOf = ({ name, email }: TeamMember): string => name ?? email;

/** The actions on several members: give them an assignment, and send their invitations again or withdraw them. */
export const useMemberSelection = (rows: readonly TeamMember[] | undefined, onAssign: () => void) => {
  const t = useText();
  const count = useCount();
  const confirm = useConfirm();
  const bulk = useBulkOutcome();
  const { selected, set, chosen, drop } = useSelected(rows, keyOf);
  const most = useQuery(app.reference.limits.queryOptions({})).data?.assignment_recipients ?? 0;
  const invited = chosen.filter(({ status }) => status === 'invited').slice(0, mostAtOnce);
  const nameById = (id: string): string => {
    const found = rows?.find((member) => member.id === id);
    return found ? nameOf(found) : id;
  };
  const invitations = count(invited.length, t('Einladung', 'invitation'), t('Einladungen', 'invitations'));
  const ids = { member_ids: invited.map(keyOf) };

  const confirmResend = (): void =>
    confirm({
      title: t(`${invitations} erneut senden?`, `Send ${invitations} again?`),
      consequences: (
        <Consequences
          points={[
            t(
              'Jede Person erhält einen neuen Link. Der bisherige Link wird ungültig.',
              'Each person gets a new link. The previous link becomes invalid.',
            ),
            t(
              'Jede zählt für das Limit der Einladungen pro Stunde.',
              'Each counts towards the limit of invitations per hour.',
            ),
          ]}
        />
      ),
      action: t('Erneut senden', 'Resend'),
      harmless: true,
      act: async () => {
        bulk.show(await client.app.members.resendMany.mutate(ids), nameById, (done) =>
          count(done, t('Einladung gesendet.', 'invitation sent.'), t('Einladungen gesendet.', 'invitations sent.')),
        );
        drop(ids.member_ids);
      },
    });

  const confirmWithdrawal = (): void =>
    confirm({
      title: t(`${invitations} zurückziehen?`, `Withdraw ${invitations}?`),
      consequences: (
        <Consequences
          points={[
            t('Die Links in den Mails gelten sofort nicht mehr.', 'The links in the mails stop working at once.'),
            t(
              'Die Plätze werden frei. Schon vergebene Aufgaben werden zurückgezogen.',
              'The seats become free. Assignments that were given are revoked.',
            ),
          ]}
        />
      ),
      action: t('Zurückziehen', 'Withdraw'),
      act: async () => {
        bulk.show(await client.app.members.withdrawMany.mutate(ids), nameById, (done) =>
          count(
            done,
            t('Einladung ist zurückgezogen.', 'invitation is withdrawn.'),
            t('Einladungen sind zurückgezogen.', 'invitations are withdrawn.'),
          ),
        );
        drop(ids.member_ids);
      },
    });

  const selection: Selection<TeamMember> = {
    selected,
    set,
    label: nameOf,
    actions: (
      <>
        <Button size="compact-sm" disabled={chosen.length > most} onClick={onAssign}>
          {t('Aufgabe zuweisen', 'Create assignment')}
        </Button>
        {invited.length > 0 && (
          <>
            <Button size="compact-sm" variant="default" onClick={confirmResend}>
              {t('Einladungen erneut senden', 'Send invitations again')}
            </Button>
            <Button size="compact-sm" variant="default" c="var(--bad)" onClick={confirmWithdrawal}>
              {t('Einladungen zurückziehen', 'Withdraw invitations')}
            </Button>
          </>
        )}
      </>
    ),
  };
  return { selection, chosen, bulk };
};
