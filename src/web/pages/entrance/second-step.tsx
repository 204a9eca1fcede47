import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';
import { Card } from './card.tsx';

interface SecondStepProps {
  onBack: () => void;
  /** The password is wanted once more. */
  onOver: () => void;
}

export const SecondStep = ({ onBack, onOver }: SecondStepProps) => {
  const t = useText();
  const prove = entrance.useChange('entrance.proveSecondFactor');
  const { data: rules } = entrance.useAnswer('entrance.rules', {});
  const [code, setCode] = useState('');
  const [trust, setTrust] = useState(false);
  const [kind, setKind] = useState<'totp' | 'backup'>('totp');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [kind]);

  const isWrong = problemOf(prove.error)?.code === 'validation_error';
  const days = rules?.trusted_device_days;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate(
      { code: kind === 'totp' ? code.replaceAll(/\s/g, '') : code.trim(), kind, trust_device: trust },
      { onError: (error) => (problemOf(error)?.code === 'unauthorized' ? onOver() : input.current?.select()) },
    );
  };
  const switchKind = () => {
    setKind(kind === 'totp' ? 'backup' : 'totp');
    setCode('');
    prove.reset();
  };
  return (
    <Card
      title={t('Zweiter Faktor', 'Second factor')}
      lead={
        kind === 'totp'
          ? t(
              'Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie gerade zeigt.',
              'Open your authenticator app and enter the code that it shows now.',
            )
          : t(
              'Jeder Ersatzcode, den Sie beim Einrichten bekommen haben, gilt einmal.',
              'Each backup code that you got when you set this up works once.',
            )
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            ref={input}
            label={
              kind === 'totp'
                ? t('Code aus Ihrer Authenticator-App', 'Code from your authenticator app')
                : t('Ersatzcode', 'Backup code')
            }
            name="code"
            autoComplete={kind === 'totp' ? 'one-time-code' : 'off'}
            inputMode={kind === 'totp' ? 'numeric' : 'text'}
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={isWrong ? t('Der Code stimmt nicht.', 'The code is wrong.') : undefined}
            errorProps={{ role: 'alert' }}
          />
          {days !== undefined && (
            <Checkbox
              label={t(`Diesem Browser ${days} Tage vertrauen`, `Trust this browser for ${days} days`)}
              checked={trust}
              onChange={(event) => setTrust(event.currentTarget.checked)}
            />
          )}
          {!isWrong && <ProblemAlert error={prove.error} />}
          <Button type="submit" size="md" loading={prove.isPending}>
            {t('Bestätigen', 'Confirm')}
          </Button>
          <Button variant="default" onClick={switchKind}>
            {kind === 'totp'
              ? t('Ersatzcode verwenden', 'Use a backup code')
              : t('Code aus der App verwenden', 'Use a code from the app')}
          </Button>
          <Button variant="subtle" color="gray" onClick={onBack}>
            {t('Zurück', 'Back')}
          </Button>
        </Stack>
      </form>
    </Card>
  );
};
