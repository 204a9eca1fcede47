import { z } from 'zod';
import { languages } from '../../core/language.ts';
import { limits, signInLimits } from '../../core/limits.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { boundedText, Email, lineOf, NameText } from '../../platform/values.ts';
import type { SignInWay } from '../../core/sign-in-demand.ts';
import type { TeamOfPerson } from '../reporting/store.ts';

const { min, max } = limits.passwordCharacters;

/** A new password. Its length is counted in code points. */
export const NewPassword = boundedText(max, { min: min, message: signInMessages.passwordLength });

/** The longest password that is checked at all, in UTF-16 units: longer than every password that can be chosen. */
export const maxPasswordLength = 1_000;
const Password = z.string().min(1).max(maxPasswordLength);
const Token = z.string().min(1).max(300);

/** The address of an account. It may be older than the current rule for addresses. */
const AccountEmail = boundedText(limits.emailCharacters).pipe(Email.or(z.email().toLowerCase()));

export const Nothing = z.strictObject({});

export const SignOutEverywhere = z.strictObject({
  keep_assistants: z.boolean().default(false).meta({ description: 'Whether connected assistants stay connected.' }),
});

/** Rules that the pages of the entrance show. */
export const Rules = z.strictObject({
  password: z.strictObject({ min: z.int(), max: z.int() }),
  name_characters: z.int(),
  trusted_device_days: z.int(),
});

export const SignIn = z.strictObject({ email: AccountEmail, password: Password });
/** `second_factor`: the password was right, and the second factor is still missing. */
export const SignInAnswer = z.strictObject({ next: z.enum(['signed_in', 'second_factor']) });

export const CompanyStart = z.strictObject({
  email: AccountEmail,
  /** The chosen team, if several teams have a company account for the address. */
  tenant_id: z.string().optional(),
  /** The page that is opened afterwards. */
  next: z.string().max(2_000).optional(),
});
export const CompanyStarted = z.strictObject({
  /** The provider’s page; null if the person has to choose a team first. */
  redirect_to: z.string().nullable(),
  teams: z.array(z.strictObject({ tenant_id: z.string(), name: z.string() })),
});
/** The content of the cookie that lasts from the start of a sign-in at the provider until the browser comes back. */
export const Flow = z.strictObject({
  tenantId: z.string(),
  expected: z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  next: z.string().nullable(),
  purpose: z.enum(['sign-in', 'proof', 'test']),
  startedAt: z.number(),
});

export const CompanyProof = CompanyStart.pick({ next: true });
export const CompanyProofStarted = z.strictObject({ redirect_to: z.string() });
/** The address to which the provider sent the browser: the team in its path, and its query. */
export const CompanyAnswer = z.strictObject({ tenant_id: z.string(), query: z.string().max(8_000) });
export const CompanyTest = z.strictObject({ tenant_id: z.string() });
export const CompanyFinished = z.strictObject({
  next: z.string().nullable(),
  tenant_id: z.string(),
  /** After a test: who the person would be. Nobody was signed in. */
  test: z
    .strictObject({
      email: z.string(),
      name: z.string().nullable(),
      role: z.enum(['owner', 'admin', 'member']),
      joins: z.boolean(),
    })
    .nullable(),
});

export const SecondFactor = z.strictObject({
  code: z.string().trim().min(1).max(40),
  kind: z.enum(['totp', 'backup']),
  trust_device: z.boolean().default(false),
});

export const ResetRequest = z.strictObject({ email: AccountEmail });
export const ResetPath = z.strictObject({ token: Token });
export const ResetState = z.strictObject({ valid: z.boolean(), email: z.string().nullable() });
export const Reset = z.strictObject({ token: Token, password: NewPassword });

/** A key that somebody has found. It may have more text around it, such as the line of a file. */
export const FoundKey = z.strictObject({ key: z.string().min(1).max(2_000) });

export const InvitationPath = z.strictObject({ token: Token });
export const InvitationState = z.strictObject({
  valid: z.boolean(),
  team_name: z.string().nullable(),
  email: z.string().nullable(),
  expires_at: z.string().nullable(),
  /** Whether the invited person can already sign in with a password. Then they sign in first, and accept after that. */
  known: z.boolean(),
  /** Whether the invited person is signed in in this browser. */
  is_you: z.boolean(),
});
export const Acceptance = z.strictObject({
  token: Token,
  name: NameText.optional(),
  password: NewPassword.optional(),
});
export const Accepted = SignInAnswer.extend({ tenant_id: z.string() });

const Membership = z.strictObject({
  tenant_id: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended', 'ended']),
  plan: z.enum(['basic', 'team', 'enterprise']),
  /** Whether the API is part of the plan. */
  has_api: z.boolean(),
  /** When the data of a team that has ended is deleted; null for every other team. */
  deletion_at: z.string().nullable(),
  is_being_deleted: z.boolean(),
  member_id: z.string(),
  user_id: z.string(),
  role: z.enum(['owner', 'admin', 'member']),
  rights: z.array(z.string()),
  /** The time from which the team can't be opened in this session, because it will demand another way to sign in. */
  closes: z.strictObject({ demand: z.enum(['second_factor', 'company']), at: z.string() }).nullable(),
  /** The needs of procedures that the person meets. The app shows the actions that these needs allow. */
  may: z.array(z.enum(['member', 'admin', 'keys', 'owner'])),
  privacy: z.strictObject({ member_detail: z.boolean(), leaderboard: z.boolean() }),
});

export const Me = z.strictObject({
  email: z.string(),
  name: z.string().nullable(),
  language: z.enum(languages),
  two_factor: z.boolean(),
  /** The person is signed in with the company account of the only team in which this session acts. */
  with_company_account: z.boolean(),
  teams: z.array(Membership),
  /** Teams that the person can't open in this session, because they demand another way to sign in. */
  closed_teams: z.array(
    z.strictObject({ tenant_id: z.string(), name: z.string(), demand: z.enum(['second_factor', 'company']) }),
  ),
});

export const WhoAnswer = z.strictObject({ me: Me.nullable() });

/**
 * A person who is signed in, with all teams in which they are an active member; in a session of a company account, with
 * that team alone. There is at least one team, including `closedTeams`; otherwise the session ends.
 */
export interface SignedIn {
  readonly personId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string | null;
  readonly language: (typeof languages)[number];
  readonly twoFactor: boolean;
  /** When the person last gave a fresh proof in this session. Signing in counts, except with a company account. */
  readonly lastProof: Date;
  readonly way: SignInWay;
  /**
   * The team with whose company account the session began. It is the only team in which the session acts. Null for
   * every other session.
   */
  readonly companyTeamId: string | null;
  readonly teams: readonly TeamOfPerson[];
  /** Teams that demand another way to sign in. */
  readonly closedTeams: readonly TeamOfPerson[];
}

export const MeChange = z.strictObject({ name: NameText.optional(), language: z.enum(languages).optional() });
export const PasswordChange = z.strictObject({ current: Password, password: NewPassword });
export const PasswordProof = z.strictObject({ password: Password });

export const OwnSession = z.strictObject({
  id: z.string(),
  current: z.boolean(),
  created_at: z.string(),
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
});
export const OwnSessions = z.strictObject({ sessions: z.array(OwnSession) });
export const SessionPath = z.strictObject({ session_id: z.string() });

export const SecondFactorState = z.strictObject({
  on: z.boolean(),
  /** Null while the second factor is off. */
  backup_codes_left: z.int().nullable(),
});
export const TwoFactorStart = z.strictObject({
  /** The URI with the secret for an authenticator app, to be shown as a QR code. */
  uri: z.string(),
  /** The same secret as base32 text, to be typed. */
  secret: z.string(),
  backup_codes: z.array(z.string()),
});
export const TwoFactorCode = z.strictObject({ code: z.string().trim().min(1).max(10) });
export const BackupCodes = z.strictObject({ backup_codes: z.array(z.string()) });

/** Bytes as base64url, as in WebAuthn's JSON. */
const Bytes = boundedText(8_000).regex(/^[\w-]*$/);
const CredentialId = boundedText(1_400, { min: 1 }).regex(/^[\w-]+$/);
const Transports = z.array(z.string().max(40)).max(10);

/** A browser's answer with a passkey, as WebAuthn's JSON (`toJSON`). Members that are not declared are ignored. */
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

const KnownCredential = z.strictObject({
  type: z.literal('public-key'),
  id: z.string(),
  transports: z.array(z.string()),
});

/** The options of `navigator.credentials.get`. */
export const PasskeyQuestion = z.strictObject({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
  allowCredentials: z.array(KnownCredential),
});
/** The options of `navigator.credentials.create`. */
export const NewPasskeyQuestion = z.strictObject({
  challenge: z.string(),
  rp: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.strictObject({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  attestation: z.literal('none'),
  authenticatorSelection: z.strictObject({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  excludeCredentials: z.array(KnownCredential),
});

const PasskeyName = lineOf(signInLimits.passkeyNameCharacters);
export const PasskeySignIn = z.strictObject({ passkey: PasskeyAnswer });
export const NewPasskey = z.strictObject({ name: PasskeyName, passkey: CreatedPasskey });
export const PasskeyPath = z.strictObject({ passkey_id: z.string() });
export const PasskeyChange = PasskeyPath.extend({ name: PasskeyName });
export const OwnPasskeys = z.strictObject({
  passkeys: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      created_at: z.string(),
      last_used_at: z.string().nullable(),
    }),
  ),
});

/** A fresh proof: either the password or a passkey. */
export const Proof = z.strictObject({ password: Password.optional(), passkey: PasskeyAnswer.optional() });
