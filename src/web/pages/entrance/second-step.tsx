import { Button, Checkbox, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { t } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { client, entrance } from '../../server/server.ts';
import { Card } from './card.tsx';
import { codeLead } from './second-step-words.ts';

interface SecondStepProps {
  onBack: () => void;
  /** Called if the person must enter their password again. */
  onOver: () => void;
}

/** The second step of a sign-in: a code from an authenticator app, or a recovery code. */
export default function SecondStep({ onBack, onOver }: SecondStepProps) {
  const { data: rules } = useQuery(entrance.entrance.rules.queryOptions({}));
  const [kind, setKind] = useState<'totp' | 'backup'>('totp');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [kind]);

  const days = rules?.trusted_device_days;
  const form = useServerForm({
    initial: { code: '', trust: false },
    send: ({ code, trust }) =>
      client.entrance.entrance.proveSecondFactor.mutate({
        code: kind === 'totp' ? code.replaceAll(/\s/g, '') : code.trim(),
        kind,
        trust_device: trust,
      }),
    onRefused: (error) => (problemOf(error)?.code === 'unauthorized' ? onOver() : input.current?.select()),
    errorsAt: (_, { code }) => ({
      code: code === 'validation_error' && t('Der Code ist falsch.', 'The code is wrong.'),
    }),
  });
  const switchKind = () => {
    setKind(kind === 'totp' ? 'backup' : 'totp');
    form.setFieldValue('code', '');
    form.sending.reset();
  };
  return (
    <Card title={t('Zwei-Faktor-Authentifizierung', 'Two-factor authentication')} lead={codeLead(kind)}>
      <Form
        form={form}
        place="card"
        action={t('Bestätigen', 'Confirm')}
        extra={
          <>
            <Button size="md" onClick={switchKind}>
              {kind === 'totp'
                ? t('Wiederherstellungscode verwenden', 'Use a recovery code')
                : t('Code aus der Authenticator-App verwenden', 'Use a code from the authenticator app')}
            </Button>
            <Button variant="subtle" color="gray" size="md" onClick={onBack}>
              {t('Zurück', 'Back')}
            </Button>
          </>
        }
      >
        <TextInput
          ref={input}
          label={
            kind === 'totp'
              ? t('Code aus Ihrer Authenticator-App', 'Code from your authenticator app')
              : t('Wiederherstellungscode', 'Recovery code')
          }
          name="code"
          autoComplete={kind === 'totp' ? 'one-time-code' : 'off'}
          inputMode={kind === 'totp' ? 'numeric' : 'text'}
          required
          errorProps={{ role: 'alert' }}
          {...form.getInputProps('code')}
        />
        {days !== undefined && (
          <Checkbox
            label={t(`Diesem Browser ${days} Tage vertrauen`, `Trust this browser for ${days} days`)}
            {...form.getInputProps('trust', { type: 'checkbox' })}
          />
        )}
      </Form>
    </Card>
  );
}
