import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { Consequences } from './consequences.tsx';
import { nameOf } from './member-words.ts';
import type { TeamMember } from './member-words.ts';

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
