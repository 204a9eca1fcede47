import { Stack } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '../../kit/messages.tsx';
import { app } from '../../server/server.ts';
import { readInvitations, writeInvitations } from './invitation-list.ts';
import type { InvitationList, Invitee } from './invitation-list.ts';
import type { InvitationResult } from './invitation-outcome.ts';
import { InvitationPreview } from './invitation-preview.tsx';
import { InvitationResults } from './invitation-results.tsx';
import { InvitationSource } from './invitation-source.tsx';

type Step =
  | { at: 'source' }
  | { at: 'preview'; list: InvitationList }
  | { at: 'results'; results: readonly InvitationResult[] };

const inviteesOf = ({ people }: InvitationList): Invitee[] => people.flatMap(({ invitee }) => invitee ?? []);

/** Invites many: a list is given, looked over, sent, and what became of each is shown. */
export const InviteMany = ({ onDone }: { onDone: () => void }) => {
  const [text, setText] = useState('');
  const [step, setStep] = useState<Step>({ at: 'source' });
  const [sent, setSent] = useState<readonly Invitee[]>([]);
  const { data: limits, error, refetch } = app.useAnswer('reference.limits', {});
  const invite = app.useChange('members.invite');
  if (!limits) return <ProblemAlert error={error} retry={() => void refetch()} />;

  const send = (list: InvitationList) => {
    const people = inviteesOf(list);
    setSent(people);
    invite.mutate({ people }, { onSuccess: ({ results }) => setStep({ at: 'results', results }) });
  };
  const beginWith = (left: readonly Invitee[]) => {
    setText(writeInvitations(left));
    setStep({ at: 'source' });
  };
  return (
    <Stack>
      {step.at === 'source' && (
        <InvitationSource
          text={text}
          most={limits.invitations_per_hour}
          onChange={setText}
          onNext={() => setStep({ at: 'preview', list: readInvitations(text, limits.invitations_per_hour) })}
          onCancel={onDone}
        />
      )}
      {step.at === 'preview' && (
        <InvitationPreview
          list={step.list}
          most={limits.invitations_per_hour}
          wanted={inviteesOf(step.list).length}
          isSending={invite.isPending}
          error={invite.error}
          onBack={() => {
            invite.reset();
            setStep({ at: 'source' });
          }}
          onSend={() => send(step.list)}
        />
      )}
      {step.at === 'results' && (
        <InvitationResults
          results={step.results}
          onAgain={() => beginWith(sent.filter((_, index) => step.results[index]?.outcome !== 'invited'))}
          onDone={onDone}
        />
      )}
    </Stack>
  );
};
