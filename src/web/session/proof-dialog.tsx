import { Button, Divider, Stack, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { PasswordField, wrongPassword } from '../kit/form/account-fields.tsx';
import { Dialog } from '../kit/dialog/dialog.tsx';
import { Form, useServerForm } from '../kit/form/form.tsx';
import { t } from '../language/language.tsx';
import { client, entrance } from '../server/server.ts';
import { CompanyButton } from './company-account.tsx';
import { useSignedIn } from './signed-in.tsx';
import type { WaitingCall } from './proof.tsx';
import { askForPasskey, hasPasskeys, PasskeyFailure } from './passkey.tsx';

/** The dialog that asks for a fresh proof when the server requires one. `waiting`: the call that waits for it. */
export default function ProofDialog({ waiting }: { waiting: WaitingCall | undefined }) {
  const { me } = useSignedIn();
  return (
    <Dialog
      title={t('Bestätigen Sie, dass Sie es sind', 'Confirm it’s you')}
      opened={waiting !== undefined}
      onClose={() => waiting?.end(false)}
    >
      {waiting && me.with_company_account && <CompanyProof />}
      {waiting && !me.with_company_account && (
        <ProofForm onProved={() => waiting.end(true)} onCancel={() => waiting.end(false)} />
      )}
    </Dialog>
  );
}

/** A person with a company account proves who they are at the provider, and comes back to this page. */
const CompanyProof = () => {
  const { pathname, search } = useLocation();
  return (
    <Stack>
      <Text size="sm">
        {t(
          'Das ist eine sicherheitsrelevante Einstellung. Bestätigen Sie sie mit Ihrem Firmenkonto. Danach kehren Sie auf diese Seite zurück und führen sie noch einmal aus.',
          'This is a security setting. Confirm it with your company account. Then you return to this page and do it again.',
        )}
      </Text>
      <CompanyButton
        start={async () =>
          (await client.entrance.account.startCompanyProof.mutate({ next: `${pathname}${search}` })).redirect_to
        }
      >
        {t('Mit dem Firmenkonto bestätigen', 'Confirm with your company account')}
      </CompanyButton>
    </Stack>
  );
};

const ProofForm = ({ onProved, onCancel }: { onProved: () => void; onCancel: () => void }) => {
  const { data } = useQuery(entrance.account.passkeys.queryOptions({}, { enabled: hasPasskeys() }));
  const hasPasskey = (data?.passkeys.length ?? 0) > 0;
  const form = useServerForm({
    initial: { password: '' },
    keepsPage: true,
    send: ({ password }) => client.entrance.account.prove.mutate({ password }),
    onSent: onProved,
    errorsAt: (_, problem) => ({ password: wrongPassword(problem) }),
  });
  return (
    <Form form={form} action={t('Bestätigen', 'Confirm')} onCancel={onCancel}>
      <Text size="sm">
        {t(
          'Das ist eine sicherheitsrelevante Einstellung. Danach fragen wir zehn Minuten lang nicht erneut.',
          'This is a security setting. We won’t ask again for ten minutes.',
        )}
      </Text>
      {hasPasskey && <ProofByPasskey onProved={onProved} />}
      <PasswordField
        label={t('Ihr Passwort', 'Your password')}
        name="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
    </Form>
  );
};

const ProofByPasskey = ({ onProved }: { onProved: () => void }) => {
  const proof = useMutation({
    mutationFn: async () => {
      const passkey = await askForPasskey(await client.entrance.account.proofQuestion.query({}));
      await client.entrance.account.prove.mutate({ passkey });
    },
    onSuccess: onProved,
  });
  return (
    <>
      <Button
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={proof.isPending}
        onClick={() => proof.mutate()}
      >
        {t('Mit Passkey bestätigen', 'Confirm with a passkey')}
      </Button>
      <PasskeyFailure error={proof.error} />
      <Divider label={t('oder', 'or')} />
    </>
  );
};
