import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { CombinationChoice, noCombination, stillOffered } from './combination-choice.tsx';
import { useOffer } from './offer.ts';
import { asSent, noText, PracticeFields, useTitleFlaw } from './practice-fields.tsx';
import { RecipientsChoice } from './recipients-choice.tsx';

const NewAssignment = ({ onClose }: { onClose: () => void }) => {
  const t = useText();
  const create = app.useChange('assigning.create');
  const flawOf = useTitleFlaw();
  const [recipients, setRecipients] = useState<string[]>([]);
  const [chosen, setChosen] = useState(noCombination);
  const [text, setText] = useState(noText);
  // The title that came with the situation: it follows the situation until somebody writes their own.
  const [proposed, setProposed] = useState('');
  const [tried, setTried] = useState(false);
  const offer = useOffer(recipients);
  const combination = offer.isReady ? stillOffered(chosen, offer) : chosen;
  const isWhole = recipients.length > 0 && offer.isReady && Object.values(combination).every((id) => id !== '');
  const flaws = flawsByField(problemOf(create.error));
  const withoutMail = (count: number): string =>
    count === 1
      ? t(
          'Eine Person bekommt keine Mail, weil das Limit für heute erreicht ist.',
          'One person gets no mail, since today’s limit is reached.',
        )
      : t(
          `${count} Personen bekommen keine Mail, weil das Limit für heute erreicht ist.`,
          `${count} people get no mail, since today’s limit is reached.`,
        );

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isWhole || flawOf(text.title) !== undefined) return;
    create.mutate(
      { member_ids: recipients, ...combination, ...asSent(text) },
      {
        onSuccess: ({ data: { length }, unmailed }) => {
          const given =
            length === 1
              ? t('Die Aufgabe ist vergeben.', 'The assignment is given.')
              : t(`${length} Aufgaben sind vergeben.`, `${length} assignments are given.`);
          const left = unmailed.filter(({ reason }) => reason !== 'invited').length;
          tell(left === 0 ? given : `${given} ${withoutMail(left)}`);
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <RecipientsChoice
          value={recipients}
          onChange={setRecipients}
          error={
            tried && recipients.length === 0
              ? t('Wählen Sie mindestens einen Empfänger.', 'Choose at least one recipient.')
              : flaws['member_ids']
          }
        />
        <CombinationChoice
          offer={offer}
          recipients={recipients.length}
          value={combination}
          onChange={(next, situation) => {
            setChosen(next);
            if (!situation || text.title !== proposed) return;
            setProposed(situation.name ?? '');
            setText({ ...text, title: situation.name ?? '' });
          }}
        />
        <PracticeFields value={text} onChange={setText} flaws={flaws} />
        <ProblemAlert error={create.error} />
        <DialogButtons
          action={t('Aufgabe vergeben', 'Give assignment')}
          running={create.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};

/** Gives one or several members something to practise. */
export const NewAssignmentDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useText();
  return (
    <Dialog title={t('Neue Aufgabe', 'New assignment')} opened={opened} onClose={onClose} size="lg">
      <NewAssignment onClose={onClose} />
    </Dialog>
  );
};
