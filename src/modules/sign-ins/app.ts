import { daysToMs, later } from '../../core/clock.ts';
import { limits, signInLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/team.ts';
import { Done, done } from '../../platform/values.ts';
import { entranceFor } from '../../trpc/operation.ts';
import { connectAssistant, consentQuestion, disconnectAssistant, listAssistants } from '../assistants/service.ts';
import {
  AuthorizationRequest,
  ConnectedAssistants,
  ConnectionPath,
  Consent,
  Consented,
  ConsentQuestion,
} from '../assistants/schema.ts';
import { acceptInvitation, findInvitation } from '../members/service.ts';
import { hasApi } from '../teams/service.ts';
import { needsMetBy, scopesOfRole } from './visitor.ts';
import {
  Acceptance,
  Accepted,
  BackupCodes,
  InvitationPath,
  InvitationState,
  MeChange,
  NewPasskey,
  NewPasskeyQuestion,
  Nothing,
  OwnPasskeys,
  OwnSessions,
  PasskeyChange,
  PasskeyPath,
  PasskeyQuestion,
  PasskeySignIn,
  PasswordChange,
  PasswordProof,
  Proof,
  Reset,
  ResetPath,
  ResetRequest,
  ResetState,
  Rules,
  SecondFactor,
  SecondFactorState,
  SessionPath,
  SignIn,
  SignInAnswer,
  TwoFactorCode,
  TwoFactorStart,
  WhoAnswer,
  SignOutEverywhere,
} from './schema.ts';
import type { SignedIn } from './schema.ts';
import { spendTry } from './tries.ts';
import {
  addPasskey,
  changeMe,
  changePassword,
  confirmTwoFactor,
  endSession,
  enter,
  listPasskeys,
  listSessions,
  newBackupCodes,
  newPasskeyQuestion,
  proofQuestion,
  prove,
  proveSecondFactor,
  removePasskey,
  renamePasskey,
  requestReset,
  resetState,
  secondFactorState,
  setNewPassword,
  signIn,
  signInQuestion,
  signInWithPasskey,
  signOut,
  signOutEverywhere,
  startTwoFactor,
  stopTwoFactor,
} from './service.ts';
import type { Visitor } from './service.ts';

const { operation, router } = entranceFor<Visitor>();

const presentMe = ({ teamDeletionDays }: Platform, { email, name, language, twoFactor, teams }: SignedIn) => ({
  email,
  name,
  language,
  two_factor: twoFactor,
  teams: teams.map(
    ({
      tenantId,
      memberId,
      userId,
      memberDetail,
      leaderboard,
      role,
      rights,
      plan,
      status,
      endedAt,
      isBeingDeleted,
      ...team
    }) => ({
      tenant_id: tenantId,
      name: team.name,
      status,
      plan,
      has_api: hasApi(plan),
      deletion_at: endedAt === null ? null : later(new Date(endedAt), daysToMs(teamDeletionDays)).toISOString(),
      is_being_deleted: isBeingDeleted,
      member_id: memberId,
      user_id: userId,
      role,
      rights: [...rights],
      may: needsMetBy({ role, rights }),
      privacy: { member_detail: memberDetail, leaderboard },
    }),
  ),
});

/** Procedures for which nobody has to be signed in. */
const entrance = router({
  who: operation(
    'query',
    { audience: 'anyone', summary: 'Who is signed in, and their teams', input: Nothing, output: WhoAnswer },
    async ({ visitor }) => {
      const signedIn = await visitor.signedIn();
      return { me: signedIn ? presentMe(visitor.platform, signedIn) : null };
    },
  ),

  rules: operation(
    'query',
    {
      audience: 'anyone',
      summary: 'The rules for passwords and names, and how long a sign-in lasts',
      input: Nothing,
      output: Rules,
    },
    () => ({
      password: { least: limits.passwordCharacters.least, most: limits.passwordCharacters.most },
      name_characters: limits.nameCharacters,
      session_days: signInLimits.sessionDays,
      trusted_device_days: signInLimits.trustedDeviceDays,
    }),
  ),

  signIn: operation(
    'mutation',
    {
      audience: 'anyone',
      summary: 'Sign in with email and password',
      input: SignIn,
      output: SignInAnswer,
      hashes: true,
    },
    ({ visitor, asStranger, input }) => signIn(visitor, input, asStranger),
  ),

  proveSecondFactor: operation(
    'mutation',
    { audience: 'anyone', summary: 'Show the second factor', input: SecondFactor, output: Done },
    async ({ visitor, input }) => {
      await proveSecondFactor(visitor, input);
      return done;
    },
  ),

  passkeyQuestion: operation(
    'query',
    {
      audience: 'anyone',
      summary: 'A challenge for signing in with a passkey',
      input: Nothing,
      output: PasskeyQuestion,
    },
    ({ visitor }) => signInQuestion(visitor),
  ),

  signInWithPasskey: operation(
    'mutation',
    { audience: 'anyone', summary: 'Sign in with a passkey', input: PasskeySignIn, output: Done },
    async ({ visitor, input }) => {
      await signInWithPasskey(visitor, input.passkey);
      return done;
    },
  ),

  signOut: operation(
    'mutation',
    { audience: 'anyone', summary: 'Sign out in this browser', input: Nothing, output: Done, safety: true },
    async ({ visitor }) => {
      await signOut(visitor);
      return done;
    },
  ),

  requestReset: operation(
    'mutation',
    { audience: 'anyone', summary: 'Ask for a link that sets a new password', input: ResetRequest, output: Done },
    async ({ visitor, input }) => {
      await requestReset(visitor, input.email);
      return done;
    },
  ),

  resetState: operation(
    'query',
    { audience: 'anyone', summary: 'Whether a reset link still works', input: ResetPath, output: ResetState },
    ({ visitor, input }) => resetState(visitor, input.token),
  ),

  resetPassword: operation(
    'mutation',
    { audience: 'anyone', summary: 'Set a new password with a reset link', input: Reset, output: Done, hashes: true },
    async ({ visitor, input }) => {
      await setNewPassword(visitor, input);
      return done;
    },
  ),

  invitation: operation(
    'query',
    { audience: 'anyone', summary: 'The invitation of a link', input: InvitationPath, output: InvitationState },
    async ({ visitor, input }) => {
      const invitation = await findInvitation(visitor.platform, input.token);
      const signedIn = await visitor.signedIn();
      return {
        valid: invitation !== undefined,
        team_name: invitation?.teamName ?? null,
        email: invitation?.email ?? null,
        expires_at: invitation?.expiresAt.toISOString() ?? null,
        known: invitation?.personKnown ?? false,
        is_you: invitation !== undefined && signedIn?.email === invitation.email,
      };
    },
  ),

  acceptInvitation: operation(
    'mutation',
    {
      audience: 'anyone',
      summary: 'Accept an invitation: new people choose a password, known ones are signed in',
      input: Acceptance,
      output: Accepted,
      hashes: true,
    },
    async ({ visitor, input: { token, name, password } }) => {
      const invitation = await findInvitation(visitor.platform, token);
      if (invitation) {
        const onRefused = (first: boolean) => visitor.report('limited', { repeated: !first });
        const tries = { what: 'acceptance of', whom: token, ...signInLimits.triesPerLink, onRefused } as const;
        await spendTry(visitor.platform.database, tries);
      }
      const signedIn = await visitor.signedIn();
      const { address } = visitor;
      const acceptance = { token, name, password, signedInPersonId: signedIn?.personId, address };
      const { tenantId: tenant_id } = await acceptInvitation(visitor.platform, acceptance);
      // A new person is signed in with the password that they have just chosen. A known one is signed in already.
      if (!invitation || invitation.personKnown || password === undefined) {
        return { next: 'signed_in' as const, tenant_id };
      }
      return { ...(await enter(visitor, { email: invitation.email, password })), tenant_id };
    },
  ),
});

/** Procedures about a person's own account, which need no team. */
const account = router({
  changeMe: operation(
    'mutation',
    { audience: 'person', needs: 'sign-in', summary: 'Change your name or language', input: MeChange, output: Done },
    async ({ visitor, signedIn, input }) => {
      await changeMe(visitor, signedIn, input);
      return done;
    },
  ),

  changePassword: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Change your password; other sessions end',
      input: PasswordChange,
      output: Done,
      hashes: true,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await changePassword(visitor, signedIn, input);
      return done;
    },
  ),

  sessions: operation(
    'query',
    { audience: 'person', needs: 'sign-in', summary: 'Where you are signed in', input: Nothing, output: OwnSessions },
    async ({ visitor, signedIn }) => ({ sessions: await listSessions(visitor, signedIn) }),
  ),

  endSession: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Sign out somewhere else',
      input: SessionPath,
      output: Done,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await endSession(visitor, signedIn, input.session_id);
      return done;
    },
  ),

  signOutEverywhere: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Sign out in every browser, this one too',
      input: SignOutEverywhere,
      output: Done,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await signOutEverywhere(visitor, signedIn, { keepsAssistants: input.keep_assistants });
      return done;
    },
  ),

  proofQuestion: operation(
    'query',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'A challenge for showing a passkey once more',
      input: Nothing,
      output: PasskeyQuestion,
    },
    ({ visitor, signedIn }) => proofQuestion(visitor, signedIn),
  ),

  prove: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Show your password or a passkey once more',
      input: Proof,
      output: Done,
      hashes: true,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await prove(visitor, signedIn, input);
      return done;
    },
  ),

  passkeys: operation(
    'query',
    { audience: 'person', needs: 'sign-in', summary: 'Your passkeys', input: Nothing, output: OwnPasskeys },
    async ({ visitor, signedIn }) => ({ passkeys: await listPasskeys(visitor, signedIn) }),
  ),

  newPasskeyQuestion: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      freshProof: true,
      summary: 'A challenge for making a passkey',
      input: Nothing,
      output: NewPasskeyQuestion,
    },
    ({ visitor, signedIn }) => newPasskeyQuestion(visitor, signedIn),
  ),

  addPasskey: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      freshProof: true,
      summary: 'Add a passkey that the browser has made',
      input: NewPasskey,
      output: Done,
    },
    async ({ visitor, signedIn, input }) => {
      await addPasskey(visitor, signedIn, input);
      return done;
    },
  ),

  renamePasskey: operation(
    'mutation',
    { audience: 'person', needs: 'sign-in', summary: 'Rename a passkey', input: PasskeyChange, output: Done },
    async ({ visitor, signedIn, input }) => {
      await renamePasskey(visitor, signedIn, { id: input.passkey_id, name: input.name });
      return done;
    },
  ),

  removePasskey: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      freshProof: true,
      summary: 'Remove a passkey',
      input: PasskeyPath,
      output: Done,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await removePasskey(visitor, signedIn, input.passkey_id);
      return done;
    },
  ),

  secondFactor: operation(
    'query',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Whether your second factor is on',
      input: Nothing,
      output: SecondFactorState,
    },
    ({ visitor, signedIn }) => secondFactorState(visitor, signedIn),
  ),

  startTwoFactor: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Begin with a second factor: a secret and backup codes',
      input: PasswordProof,
      output: TwoFactorStart,
      hashes: true,
      safety: true,
    },
    ({ visitor, signedIn, input }) => startTwoFactor(visitor, signedIn, input.password),
  ),

  confirmTwoFactor: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Turn the second factor on with its first code',
      input: TwoFactorCode,
      output: Done,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await confirmTwoFactor(visitor, signedIn, input.code);
      return done;
    },
  ),

  stopTwoFactor: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Turn the second factor off',
      input: PasswordProof,
      output: Done,
      hashes: true,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await stopTwoFactor(visitor, signedIn, input.password);
      return done;
    },
  ),

  newBackupCodes: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Make new backup codes; the former ones end',
      input: PasswordProof,
      output: BackupCodes,
      hashes: true,
      safety: true,
    },
    ({ visitor, signedIn, input }) => newBackupCodes(visitor, signedIn, input.password),
  ),
});

/** The assistants that a person connects to their teams. */
const assistants = router({
  question: operation(
    'query',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'What an assistant asks for, before you decide',
      input: AuthorizationRequest,
      output: ConsentQuestion,
    },
    ({ visitor, signedIn, input }) =>
      consentQuestion(visitor.platform, signedIn, input, ({ role }) => scopesOfRole[role]),
  ),

  connect: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'Let an assistant act for you in one of your teams',
      input: Consent,
      output: Consented,
      freshProof: true,
    },
    async ({ visitor, signedIn, input }) => ({
      redirect_to: await connectAssistant(visitor, signedIn, input),
    }),
  ),

  list: operation(
    'query',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'The assistants that you have connected',
      input: Nothing,
      output: ConnectedAssistants,
    },
    async ({ visitor, signedIn }) => ({ assistants: await listAssistants(visitor.platform, signedIn) }),
  ),

  disconnect: operation(
    'mutation',
    {
      audience: 'person',
      needs: 'sign-in',
      summary: 'End the access of an assistant',
      input: ConnectionPath,
      output: Done,
      safety: true,
    },
    async ({ visitor, signedIn, input }) => {
      await disconnectAssistant(visitor.platform, signedIn, input.connection_id);
      return done;
    },
  ),
});

/** The procedures that need no team. */
export const entranceRouter = router({ entrance, account, assistants });
