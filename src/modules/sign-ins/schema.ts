import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { limits, signInLimits } from '../../core/limits.ts';
import { saying } from '../../core/messages/message.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { Email, lineOf, NameText } from '../../platform/values.ts';
import type { reports } from '../reporting/store.ts';

const { least, most } = limits.passwordCharacters;

/** A new password. Its length is counted in code points. */
export const NewPassword = z
  .string()
  .refine((text) => [...text].length >= least && [...text].length <= most, saying(signInMessages.passwordLength));

/** The longest password that is checked at all, in UTF-16 units: longer than every password that can be chosen. */
export const maxPasswordLength = 1_000;
const Password = z.string().min(1).max(maxPasswordLength);
const Token = z.string().min(1).max(300);

/** The address of an account. It may be older than the current rule for addresses. */
const AccountEmail = Email.or(z.email().max(limits.emailCharacters).toLowerCase());

export const Nothing = z.strictObject({});

export const SignOutEverywhere = z.strictObject({
  keep_assistants: z.boolean().default(false).meta({ description: 'Whether connected assistants stay connected.' }),
});

export const SignIn = z.strictObject({ email: AccountEmail, password: Password });

export const SecondFactor = z.strictObject({
  code: z.string().trim().min(1).max(40),
  kind: z.enum(['totp', 'backup']),
  trust_device: z.boolean().default(false),
});

export const ResetRequest = z.strictObject({ email: AccountEmail });
export const ResetPath = z.strictObject({ token: Token });
export const Reset = z.strictObject({ token: Token, password: NewPassword });

export const InvitationPath = z.strictObject({ token: Token });
export const Acceptance = z.strictObject({
  token: Token,
  name: NameText.optional(),
  password: NewPassword.optional(),
});

/** A team of a person, with the person's active membership in it. */
export type TeamOfPerson = Awaited<ReturnType<typeof reports.teamsOfPerson>>[number];

/** A person who is signed in, with all teams in which they are an active member: at least one, otherwise the session ends. */
export interface SignedIn {
  readonly personId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string | null;
  readonly language: (typeof languages)[number];
  readonly twoFactor: boolean;
  /** When the person last showed their password or a passkey in this session. */
  readonly lastProof: Date;
  readonly teams: readonly TeamOfPerson[];
}

export const MeChange = z.strictObject({ name: NameText.optional(), language: z.enum(languages).optional() });
export const PasswordChange = z.strictObject({ current: Password, password: NewPassword });
export const PasswordProof = z.strictObject({ password: Password });

export const SessionPath = z.strictObject({ session_id: z.string() });

export const TwoFactorCode = z.strictObject({ code: z.string().trim().min(1).max(10) });

/** Bytes as WebAuthn's JSON has them. */
const Bytes = z
  .string()
  .max(8_000)
  .regex(/^[\w-]*$/);
const CredentialId = z
  .string()
  .min(1)
  .max(1_400)
  .regex(/^[\w-]+$/);
const Transports = z.array(z.string().max(40)).max(10);

/** A browser's answer with a passkey, in the JSON format of WebAuthn (`toJSON`). Its other members are ignored. */
const answerOf = <Response extends z.ZodObject>(response: Response) =>
  z.object({
    id: CredentialId,
    rawId: CredentialId,
    type: z.literal('public-key'),
    response,
  });
export const PasskeyAnswer = answerOf(
  z.object({
    clientDataJSON: Bytes,
    authenticatorData: Bytes,
    signature: Bytes,
    userHandle: Bytes.nullish(),
  }),
);
export type PasskeyAnswer = z.output<typeof PasskeyAnswer>;
const CreatedPasskey = answerOf(
  z.object({
    clientDataJSON: Bytes,
    attestationObject: Bytes,
    transports: Transports.optional(),
  }),
);
export type CreatedPasskey = z.output<typeof CreatedPasskey>;

const PasskeyName = lineOf(signInLimits.passkeyNameCharacters);
export const PasskeySignIn = z.strictObject({ passkey: PasskeyAnswer });
export const NewPasskey = z.strictObject({ name: PasskeyName, passkey: CreatedPasskey });
export const PasskeyPath = z.strictObject({ passkey_id: z.string() });
export const PasskeyChange = PasskeyPath.extend({ name: PasskeyName });

/** A fresh proof: either the password or a passkey. */
export const Proof = z.strictObject({ password: Password.optional(), passkey: PasskeyAnswer.optional() });
