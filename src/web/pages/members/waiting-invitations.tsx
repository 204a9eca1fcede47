import { ActionIcon, Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Hint } from '../../kit/text/text.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { Cut, Lines } from '../../kit/text/cut.tsx';
import { DialogButtons } from '../../kit/dialog/dialog-buttons.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { number } from '../../kit/text/figures.ts';
import { MinuteTime } from '../../kit/text/formats.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { Notice, notify, notifyProblem } from '../../kit/page/messages.tsx';
import { refusalText } from '../../kit/list/refusal-text.ts';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app, client, queries, type AppOutputs } from '../../server/server.ts';
import { canceledText, cancelWaitingText, waitingText } from './figures.ts';

type WaitingInvitations = AppOutputs['members']['waiting'];

const refreshMs = 60_000;

/**
 * Says how many invitations wait for the team's limits and when the next ones are sent, and lets the reader cancel
 * them.
 */
export const WaitingNotice = () => {
  const [opened, setOpened] = useState(false);
  const { data } = useQuery(
    app.members.waiting.queryOptions(
      {},
      { refetchInterval: ({ state: { data: known } }) => (known?.count ? refreshMs : false) },
    ),
  );
  if (!data) return null;
  return (
    <>
      {data.next_at !== null && (
        <Notice
          tone="info"
          role="status"
          title={waitingText(data.count)}
          action={{ label: t('Anzeigen', 'Show'), onClick: () => setOpened(true) }}
        >
          {t('Nächster Versand: ', 'The next are sent at ')}
          <MinuteTime at={data.next_at} />.
        </Notice>
      )}
      <Dialog
        title={t('Wartende Einladungen', 'Waiting invitations')}
        size="xl"
        opened={opened && data.count > 0}
        onClose={() => setOpened(false)}
      >
        <WaitingList waiting={data} onClose={() => setOpened(false)} />
      </Dialog>
    </>
  );
};

const WaitingList = ({
  waiting: { count: all, data },
  onClose,
}: {
  waiting: WaitingInvitations;
  onClose: () => void;
}) => {
  const confirm = useConfirm();
  const cancel = useMutation({
    ...app.members.cancelWaiting.mutationOptions(),
    onSuccess: async ({ canceled }) => {
      await queries.invalidateQueries();
      notify(canceledText(canceled));
    },
    onError: notifyProblem,
  });
  const confirmAll = (): void =>
    confirm({
      title: cancelWaitingText(all),
      points: [t('Diese Personen erhalten keine Einladung.', 'These people will not be invited.')],
      action: t('Löschen', 'Delete'),
      act: async () => {
        const { canceled } = await client.app.members.cancelWaiting.mutate({});
        notify(canceledText(canceled));
        onClose();
      },
    });
  return (
    <>
      <DataTable
        label={t('Wartende Einladungen', 'Waiting invitations')}
        list={{ rows: data }}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t('E-Mail', 'Email'),
            cell: ({ email, name, refusal }) => (
              <Lines
                below={refusal !== null && `${t('Letzter Versuch: ', 'Last try: ')}${refusalText({ code: refusal })}`}
              >
                <Cut text={name === null ? email : `${name} · ${email}`} />
              </Lines>
            ),
          },
          { label: t('Rolle', 'Role'), cell: ({ role }) => roleName(role), priority: 2 },
          { label: t('Wird gesendet', 'Will be sent'), cell: ({ due_at }) => <MinuteTime at={due_at} />, priority: 1 },
        ]}
        actions={({ id, email }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t(`Einladung an ${email} löschen`, `Delete the invitation to ${email}`)}
            onClick={() => cancel.mutate({ ids: [id] })}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        )}
      />
      {all > data.length && (
        <Hint>{t(`und ${number(all - data.length)} weitere`, `and ${number(all - data.length)} more`)}</Hint>
      )}
      <DialogButtons>
        <Button c="var(--bad)" onClick={confirmAll}>
          {t('Alle löschen', 'Delete all')}
        </Button>
        <Button variant="filled" onClick={onClose}>
          {t('Schließen', 'Close')}
        </Button>
      </DialogButtons>
    </>
  );
};
