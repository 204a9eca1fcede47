import { daysToMs, later } from '../../core/clock.ts';
import { limits, signInLimits } from '../../core/limits.ts';
import type { Platform } from '../../platform/team.ts';
import { Done, doneAfter } from '../../platform/values.ts';
import { connectAssistant, consentQuestion, disconnectAssistant, listAssistants } from '../assistants/service.ts';
import {
  AuthorizationRequest,
  ConnectedAssistants,
  ConnectionPath,
  Consent,
  Consented,
  ConsentQuestion,
} from '../assistants/schema.ts';
import { findInvitation } from '../members/acceptance.ts';
import { hasApi } from '../../platform/team.ts';
import { needsMetBy, scopesOfRole } from './visitor.ts';
import {
  Acceptance,
  Accepted,
  BackupCodes,
  CompanyAnswer,
  CompanyFinished,
  CompanyProof,
  CompanyProofStarted,
  CompanyStart,
  CompanyStarted,
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
import { accountProcedure, anyoneProcedure, visitRouter } from './procedures.ts';
import {
  changeMe,
  changePassword,
  confirmTwoFactor,
  endSession,
  listSessions,
  newBackupCodes,
  prove,
  secondFactorState,
  signOutEverywhere,
  startTwoFactor,
  stopTwoFactor,
} from './own-account.ts';
import {
  addPasskey,
  listPasskeys,
  newPasskeyQuestion,
  proofQuestion,
  removePasskey,
  renamePasskey,
  signInQuestion,
} from './passkeys.ts';
import {
  acceptAndEnter,
  proveSecondFactor,
  requestReset,
  resetState,
  setNewPassword,
  signIn,
  signInWithPasskey,
  signOut,
} from './service.ts';
import { finishCompanySignIn, startCompanyProof, startCompanySignIn } from './company.ts';

const presentMe = (
  { teamDeletionDays }: Platform,
  { email, name, language, twoFactor, companyTeamId, teams, closedTeams }: SignedIn,
) => ({
  email,
  name,
  language,
  two_factor: twoFactor,
  with_company_account: companyTeamId !== null,
  closed_teams: closedTeams.flatMap(({ tenantId, name: teamName, signInDemand: demand }) =>
    demand === 'none' ? [] : [{ tenant_id: tenantId, name: teamName, demand }],
  ),
  teams: teams.map((team) => ({
    tenant_id: team.tenantId,
    name: team.name,
    status: team.status,
    plan: team.plan,
    has_api: hasApi(team.plan),
    deletion_at: team.endedAt && later(new Date(team.endedAt), daysToMs(teamDeletionDays)).toISOString(),
    is_being_deleted: team.isBeingDeleted,
    member_id: team.memberId,
    user_id: team.userId,
    role: team.role,
    rights: team.rights,
    may: needsMetBy(team),
    privacy: { member_detail: team.memberDetail, leaderboard: team.leaderboard },
  })),
});

/** Procedures for which nobody has to be signed in. */
const entrance = visitRouter({
  who: anyoneProcedure
    .meta({ summary: 'Who is signed in, and their teams' })
    .input(Nothing)
    .output(WhoAnswer)
    .query(async ({ ctx: { visitor } }) => {
      const signedIn = await visitor.signedIn();
      return { me: signedIn ? presentMe(visitor.platform, signedIn) : null };
    }),

  rules: anyoneProcedure
    .meta({ summary: 'The rules for passwords and names, and how long a sign-in lasts' })
    .input(Nothing)
    .output(Rules)
    .query(() => ({
      password: { least: limits.passwordCharacters.least, most: limits.passwordCharacters.most },
      name_characters: limits.nameCharacters,
      session_days: signInLimits.sessionDays,
      trusted_device_days: signInLimits.trustedDeviceDays,
    })),

  signIn: anyoneProcedure
    .meta({ summary: 'Sign in with email and password' })
    .input(SignIn)
    .output(SignInAnswer)
    .mutation(({ ctx: { visitor }, input }) => signIn(visitor, input)),

  proveSecondFactor: anyoneProcedure
    .meta({ summary: 'Show the second factor' })
    .input(SecondFactor)
    .output(Done)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(proveSecondFactor(visitor, input))),

  passkeyQuestion: anyoneProcedure
    .meta({ summary: 'A challenge for signing in with a passkey' })
    .input(Nothing)
    .output(PasskeyQuestion)
    .query(({ ctx: { visitor } }) => signInQuestion(visitor)),

  signInWithPasskey: anyoneProcedure
    .meta({ summary: 'Sign in with a passkey' })
    .input(PasskeySignIn)
    .output(Done)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(signInWithPasskey(visitor, input.passkey))),

  startCompanySignIn: anyoneProcedure
    .meta({ summary: 'Begin to sign in with the company account' })
    .input(CompanyStart)
    .output(CompanyStarted)
    .mutation(({ ctx: { visitor }, input }) => startCompanySignIn(visitor, input)),

  finishCompanySignIn: anyoneProcedure
    .meta({ summary: 'Sign in with the answer of the company’s provider' })
    .input(CompanyAnswer)
    .output(CompanyFinished)
    .mutation(({ ctx: { visitor }, input }) => finishCompanySignIn(visitor, input.query)),

  signOut: anyoneProcedure
    .meta({ summary: 'Sign out in this browser' })
    .input(Nothing)
    .output(Done)
    .mutation(({ ctx: { visitor } }) => doneAfter(signOut(visitor))),

  requestReset: anyoneProcedure
    .meta({ summary: 'Ask for a link that sets a new password' })
    .input(ResetRequest)
    .output(Done)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(requestReset(visitor, input.email))),

  resetState: anyoneProcedure
    .meta({ summary: 'Whether a reset link still works' })
    .input(ResetPath)
    .output(ResetState)
    .query(({ ctx: { visitor }, input }) => resetState(visitor, input.token)),

  resetPassword: anyoneProcedure
    .meta({ summary: 'Set a new password with a reset link' })
    .input(Reset)
    .output(Done)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(setNewPassword(visitor, input))),

  invitation: anyoneProcedure
    .meta({ summary: 'The invitation of a link' })
    .input(InvitationPath)
    .output(InvitationState)
    .query(async ({ ctx: { visitor }, input }) => {
      const invitation = await findInvitation(visitor.platform, input.token);
      const signedIn = await visitor.signedIn();
      return {
        valid: invitation !== undefined,
        team_name: invitation?.teamName ?? null,
        email: invitation?.email ?? null,
        expires_at: invitation?.expiresAt.toISOString() ?? null,
        known: invitation?.personKnown ?? false,
        is_you: invitation !== undefined && signedIn?.companyTeamId === null && signedIn.email === invitation.email,
      };
    }),

  acceptInvitation: anyoneProcedure
    .meta({ summary: 'Accept an invitation: new people choose a password, known ones are signed in' })
    .input(Acceptance)
    .output(Accepted)
    .mutation(({ ctx: { visitor }, input }) => acceptAndEnter(visitor, input)),
});

/** Procedures about a person's own account, which need no team. */
const account = visitRouter({
  changeMe: accountProcedure
    .meta({ summary: 'Change your name or language', withCompanyAccount: true })
    .input(MeChange)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(changeMe(visitor, signedIn, input))),

  changePassword: accountProcedure
    .meta({ summary: 'Change your password; other sessions end' })
    .input(PasswordChange)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(changePassword(visitor, signedIn, input))),

  sessions: accountProcedure
    .meta({ summary: 'Where you are signed in', withCompanyAccount: true })
    .input(Nothing)
    .output(OwnSessions)
    .query(async ({ ctx: { visitor, signedIn } }) => ({ sessions: await listSessions(visitor, signedIn) })),

  endSession: accountProcedure
    .meta({ summary: 'Sign out somewhere else', withCompanyAccount: true })
    .input(SessionPath)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(endSession(visitor, signedIn, input.session_id))),

  signOutEverywhere: accountProcedure
    .meta({ summary: 'Sign out in every browser, this one too' })
    .input(SignOutEverywhere)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) =>
      doneAfter(signOutEverywhere(visitor, signedIn, { keepsAssistants: input.keep_assistants })),
    ),

  proofQuestion: accountProcedure
    .meta({ summary: 'A challenge for showing a passkey once more' })
    .input(Nothing)
    .output(PasskeyQuestion)
    .query(({ ctx: { visitor, signedIn } }) => proofQuestion(visitor, signedIn)),

  startCompanyProof: accountProcedure
    .meta({ summary: 'Show your company account once more', withCompanyAccount: true })
    .input(CompanyProof)
    .output(CompanyProofStarted)
    .mutation(({ ctx: { visitor, signedIn }, input }) => startCompanyProof(visitor, signedIn, input)),

  prove: accountProcedure
    .meta({ summary: 'Show your password or a passkey once more' })
    .input(Proof)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(prove(visitor, signedIn, input))),

  passkeys: accountProcedure
    .meta({ summary: 'Your passkeys' })
    .input(Nothing)
    .output(OwnPasskeys)
    .query(async ({ ctx: { visitor, signedIn } }) => ({ passkeys: await listPasskeys(visitor, signedIn) })),

  newPasskeyQuestion: accountProcedure
    .meta({ freshProof: true, summary: 'A challenge for making a passkey' })
    .input(Nothing)
    .output(NewPasskeyQuestion)
    .mutation(({ ctx: { visitor, signedIn } }) => newPasskeyQuestion(visitor, signedIn)),

  addPasskey: accountProcedure
    .meta({ freshProof: true, summary: 'Add a passkey that the browser has made' })
    .input(NewPasskey)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(addPasskey(visitor, signedIn, input))),

  renamePasskey: accountProcedure
    .meta({ summary: 'Rename a passkey' })
    .input(PasskeyChange)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) =>
      doneAfter(renamePasskey(visitor, signedIn, { id: input.passkey_id, name: input.name })),
    ),

  removePasskey: accountProcedure
    .meta({ freshProof: true, summary: 'Remove a passkey' })
    .input(PasskeyPath)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(removePasskey(visitor, signedIn, input.passkey_id))),

  secondFactor: accountProcedure
    .meta({ summary: 'Whether your second factor is on' })
    .input(Nothing)
    .output(SecondFactorState)
    .query(({ ctx: { visitor, signedIn } }) => secondFactorState(visitor, signedIn)),

  startTwoFactor: accountProcedure
    .meta({ summary: 'Begin with a second factor: a secret and backup codes' })
    .input(PasswordProof)
    .output(TwoFactorStart)
    .mutation(({ ctx: { visitor, signedIn }, input }) => startTwoFactor(visitor, signedIn, input.password)),

  confirmTwoFactor: accountProcedure
    .meta({ summary: 'Turn the second factor on with its first code' })
    .input(TwoFactorCode)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(confirmTwoFactor(visitor, signedIn, input.code))),

  stopTwoFactor: accountProcedure
    .meta({ summary: 'Turn the second factor off' })
    .input(PasswordProof)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(stopTwoFactor(visitor, signedIn, input.password))),

  newBackupCodes: accountProcedure
    .meta({ summary: 'Make new backup codes; the former ones end' })
    .input(PasswordProof)
    .output(BackupCodes)
    .mutation(({ ctx: { visitor, signedIn }, input }) => newBackupCodes(visitor, signedIn, input.password)),
});

/** The assistants that a person connects to their teams. */
const assistants = visitRouter({
  question: accountProcedure
    .meta({ summary: 'What an assistant asks for, before you decide', withCompanyAccount: true })
    .input(AuthorizationRequest)
    .output(ConsentQuestion)
    .query(({ ctx: { visitor, signedIn }, input }) =>
      consentQuestion(visitor.platform, signedIn, input, ({ role }) => scopesOfRole[role]),
    ),

  connect: accountProcedure
    .meta({
      summary: 'Let an assistant act for you in one of your teams',
      freshProof: true,
      withCompanyAccount: true,
    })
    .input(Consent)
    .output(Consented)
    .mutation(async ({ ctx: { visitor, signedIn }, input }) => ({
      redirect_to: await connectAssistant(visitor, signedIn, input),
    })),

  list: accountProcedure
    .meta({ summary: 'The assistants that you have connected', withCompanyAccount: true })
    .input(Nothing)
    .output(ConnectedAssistants)
    .query(async ({ ctx: { visitor, signedIn } }) => ({
      assistants: await listAssistants(visitor.platform, signedIn),
    })),

  disconnect: accountProcedure
    .meta({ summary: 'End the access of an assistant', withCompanyAccount: true })
    .input(ConnectionPath)
    .output(Done)
    .mutation(({ ctx: { visitor, signedIn }, input }) =>
      doneAfter(disconnectAssistant(visitor.platform, signedIn, input.connection_id)),
    ),
});

/** The procedures that need no team. */
export const entranceRouter = visitRouter({ entrance, account, assistants });
