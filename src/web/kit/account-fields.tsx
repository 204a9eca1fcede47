import { PasswordInput } from '@mantine/core';
import { useText } from '../language/language.tsx';
import { flawsByField, problemOf } from '../server/problem.ts';
import { entrance } from '../server/server.ts';

/** How a password has to be, as the server says it. */
export const usePasswordRule = () => {
  const { data } = entrance.useAnswer('entrance.rules', {});
  const rule = data?.password;
  return {
    rule,
    /** Whether the server will take it, as far as its length goes. */
    fits: (password: string): boolean => {
      const { length } = [...password];
      return rule === undefined || (length >= rule.least && length <= rule.most);
    },
  };
};

interface NewPasswordInputProps {
  value: string;
  onChange: (password: string) => void;
  /** It was sent, or tried to: what is wrong with it is said. */
  tried: boolean;
  label?: string;
}

/** A password that somebody chooses. */
export const NewPasswordInput = ({ value, onChange, tried, label }: NewPasswordInputProps) => {
  const t = useText();
  const { rule, fits } = usePasswordRule();
  const length =
    rule && t(`Mindestens ${rule.least} Zeichen, höchstens ${rule.most}.`, `${rule.least} to ${rule.most} characters.`);
  return (
    <PasswordInput
      label={label ?? t('Neues Passwort', 'New password')}
      description={length ?? ' '}
      name="new-password"
      autoComplete="new-password"
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={tried && !fits(value) ? length : undefined}
      visibilityToggleButtonProps={{ 'aria-label': t('Passwort zeigen', 'Show password'), tabIndex: 0 }}
    />
  );
};

/** What is wrong with the name of a person or team, where the server refused one. */
export const useNameFlaw = (): ((error: unknown) => string | undefined) => {
  const t = useText();
  return (error) =>
    flawsByField(problemOf(error))['name'] === undefined
      ? undefined
      : t(
          'Der Name ist zu lang oder enthält etwas, das nicht erlaubt ist: unsichtbare Zeichen, eine Web- oder eine E-Mail-Adresse. Schreiben Sie nach einem Punkt ein Leerzeichen.',
          'The name is too long or contains something that is not allowed: invisible characters, a web address or an email address. Write a space after a full stop.',
        );
};
