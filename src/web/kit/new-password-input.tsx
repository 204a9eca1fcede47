import { PasswordInput } from '@mantine/core';
import { useText } from '../language/language.ts';
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
