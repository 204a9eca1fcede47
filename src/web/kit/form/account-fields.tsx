import { PasswordInput, TextInput, type PasswordInputProps, type TextInputProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../language/language.tsx';
import type { AppProblem } from '../../server/problem.ts';
import { entrance } from '../../server/server.ts';

export const EmailField = (props: TextInputProps) => (
  <TextInput label={t('E-Mail', 'Email')} type="email" name="email" autoComplete="username" required {...props} />
);

/** A field for an existing password. */
export const PasswordField = (props: PasswordInputProps) => (
  <PasswordInput
    autoComplete="current-password"
    required
    errorProps={{ role: 'alert' }}
    visibilityToggleButtonProps={{ 'aria-label': t('Passwort anzeigen', 'Show password'), tabIndex: 0 }}
    {...props}
  />
);

/** The message for an existing password that the server refused. */
export const wrongPassword = ({ field }: AppProblem): string | false =>
  field === 'password' && t('Das Passwort ist falsch.', 'The password is wrong.');

/** A field for a new password, with the server's rule for it. */
export const NewPasswordField = (props: PasswordInputProps) => {
  const { rule } = useNewPasswordRule();
  return (
    <PasswordField
      label={t('Neues Passwort', 'New password')}
      description={rule ?? ' '}
      name="new-password"
      autoComplete="new-password"
      {...props}
    />
  );
};

/** The server's rule for the length of new passwords as a text. `check` returns how a password breaks the rule. */
export const useNewPasswordRule = () => {
  const { data } = useQuery(entrance.entrance.rules.queryOptions({}));
  const limits = data?.password;
  const rule = limits && t(`${limits.min} bis ${limits.max} Zeichen.`, `${limits.min} to ${limits.max} characters.`);
  return {
    rule,
    check: (password: string): string | undefined => {
      const { length } = [...password];
      if (!limits) return undefined;
      if (length < limits.min) {
        return t(`Zu kurz: mindestens ${limits.min} Zeichen.`, `Too short: at least ${limits.min} characters.`);
      }
      return length > limits.max
        ? t(`Zu lang: höchstens ${limits.max} Zeichen.`, `Too long: at most ${limits.max} characters.`)
        : undefined;
    },
  };
};

export const PersonNameField = (props: TextInputProps) => {
  const { data: rules } = useQuery(entrance.entrance.rules.queryOptions({}));
  return (
    <TextInput
      name="name"
      autoComplete="name"
      required
      {...(rules && { maxLength: rules.name_characters })}
      {...props}
    />
  );
};

/** The message for a name of a person or team that the server refused. */
export const nameMessage = (): string =>
  t(
    'Der Name ist zu lang oder enthält unzulässige Zeichen, eine Web- oder eine E-Mail-Adresse. Setzen Sie nach einem Punkt ein Leerzeichen.',
    'The name is too long, or contains invalid characters, a web address or an email address. Put a space after a full stop.',
  );
