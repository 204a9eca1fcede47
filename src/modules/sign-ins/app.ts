import { daysToMs, later } from '../../core/clock.ts';
import { limits, signInLimits } from '../../core/limits.ts';
import { mayEnter, type SignInWay } from '../../core/sign-in-demand.ts';
import { answer, toCamel, toSnake } from '../../core/spelling.ts';
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
import { hasApi, type Platform } from '../../platform/team.ts';
import { needsMetBy, scopesOfRole } from './visitor.ts';
import * as schema from './schema.ts';
import { accountProcedure, anyoneProcedure, visitRouter } from './procedures.ts';
import {
  changeMe,
  changePassword,
  confirmTwoFactor,
  endSession,
  listSessions,
  replaceBackupCodes,
  prove,
  secondFactorState,
  signOutEverywhere,
  startTwoFactor,
  stopTwoFactor,
} from './own-account.ts';
import {
  addPasskey,
  listPasskeys,
  makePasskeyQuestion,
  proofQuestion,
  removePasskey,
  renamePasskey,
  signInQuestion,
} from './passkeys.ts';
import { reportFoundKey } from './key-reports.ts';
import * as service from './service.ts';
import { finishCompanySignIn, startCompanyProof, startCompanySignIn, startCompanyTest } from './company.ts';

/**
 * From when, and by which planned demand, a session that began in this way can no longer act in a team; null if no
 * planned demand prevents it.
 */
const closureOf = ({ role, planned }: schema.SignedIn['teams'][number], way: SignInWay) => {
  if (!planned || planned.demand === 'none' || mayEnter({ role, signInDemand: planned.demand }, way)) return null;
  return { demand: planned.demand, at: planned.from.toISOString() };
};

const presentMe = (
  { teamDeletionDays }: Platform,
  { email, name, language, twoFactor, companyTeamId, teams, closedTeams, way }: schema.SignedIn,
) => ({
  email,
  name,
  language,
  twoFactor,
  withCompanyAccount: companyTeamId !== null,
  closedTeams: closedTeams.flatMap(({ tenantId, name: teamName, signInDemand: demand }) =>
    demand === 'none' ? [] : [{ tenantId, name: teamName, demand }],
  ),
  teams: teams.map((team) => ({
    tenantId: team.tenantId,
    name: team.name,
    status: team.status,
    plan: team.plan,
    hasApi: hasApi(team.plan),
    deletionAt: team.endedAt && later(new Date(team.endedAt), daysToMs(teamDeletionDays)),
    isBeingDeleted: team.isBeingDeleted,
    memberId: team.memberId,
    userId: team.userId,
    role: team.role,
    rights: team.rights,
    closes: companyTeamId === null ? closureOf(team, way) : null,
    may: needsMetBy(team),
    privacy: { memberDetail: team.memberDetail, leaderboard: team.leaderboard },
  })),
});

// The beginnings of several procedures below.
const visitorAction = anyoneProcedure.output(Done);
const action = accountProcedure.output(Done);
const actionAlsoOfCompanyAccount = accountProcedure.meta({ withCompanyAccount: true }).output(Done);
const actionWithProof = accountProcedure.meta({ freshProof: true }).output(Done);
const visitorQuery = anyoneProcedure.input(schema.Nothing);
const ownQuery = accountProcedure.input(schema.Nothing);
const alsoOfCompanyAccount = accountProcedure.meta({ withCompanyAccount: true });

/** Procedures for which nobody has to be signed in. */
const entrance = visitRouter({
  who: visitorQuery.output(schema.WhoAnswer).query(async ({ ctx: { visitor } }) => {
    const signedIn = await visitor.signedIn();
    return { me: signedIn ? toSnake(presentMe(visitor.platform, signedIn)) : null };
  }),

  rules: visitorQuery.output(schema.Rules).query(() =>
    toSnake({
      password: { min: limits.passwordCharacters.min, max: limits.passwordCharacters.max },
      nameCharacters: limits.nameCharacters,
      trustedDeviceDays: signInLimits.trustedDeviceDays,
    }),
  ),

  signIn: anyoneProcedure
    .input(schema.SignIn)
    .output(schema.SignInAnswer)
    .mutation(({ ctx: { visitor }, input }) => service.signIn(visitor, input)),

  proveSecondFactor: visitorAction
    .input(schema.SecondFactor)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(service.proveSecondFactor(visitor, toCamel(input)))),

  passkeyQuestion: visitorQuery.output(schema.PasskeyQuestion).query(({ ctx: { visitor } }) => signInQuestion(visitor)),

  signInWithPasskey: visitorAction
    .input(schema.PasskeySignIn)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(service.signInWithPasskey(visitor, input.passkey))),

  startCompanySignIn: anyoneProcedure
    .input(schema.CompanyStart)
    .output(schema.CompanyStarted)
    .mutation(({ ctx: { visitor }, input }) => answer(startCompanySignIn(visitor, toCamel(input)))),

  finishCompanySignIn: anyoneProcedure
    .input(schema.CompanyAnswer)
    .output(schema.CompanyFinished)
    .mutation(({ ctx: { visitor }, input }) => answer(finishCompanySignIn(visitor, toCamel(input)))),

  signOut: visitorAction.input(schema.Nothing).mutation(({ ctx: { visitor } }) => doneAfter(service.signOut(visitor))),

  requestReset: visitorAction
    .input(schema.ResetRequest)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(service.requestReset(visitor, input.email))),

  resetState: anyoneProcedure
    .input(schema.ResetPath)
    .output(schema.ResetState)
    .query(({ ctx: { visitor }, input }) => service.resetState(visitor, input.token)),

  resetPassword: visitorAction
    .input(schema.Reset)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(service.setNewPassword(visitor, input))),

  reportKey: visitorAction
    .input(schema.FoundKey)
    .mutation(({ ctx: { visitor }, input }) => doneAfter(reportFoundKey(visitor, input.key))),

  invitation: anyoneProcedure
    .input(schema.InvitationPath)
    .output(schema.InvitationState)
    .query(async ({ ctx: { visitor }, input }) => {
      const invitation = await findInvitation(visitor.platform, input.token);
      const signedIn = await visitor.signedIn();
      return toSnake({
        valid: invitation !== undefined,
        teamName: invitation?.teamName ?? null,
        email: invitation?.email ?? null,
        expiresAt: invitation?.expiresAt ?? null,
        known: invitation?.personKnown ?? false,
        isYou: invitation !== undefined && signedIn?.companyTeamId === null && signedIn.email === invitation.email,
      });
    }),

  acceptInvitation: anyoneProcedure
    .input(schema.Acceptance)
    .output(schema.Accepted)
    .mutation(({ ctx: { visitor }, input }) => answer(service.acceptAndEnter(visitor, input))),
});

/** Procedures about a person's own account, which need no team. */
const account = visitRouter({
  changeMe: actionAlsoOfCompanyAccount
    .input(schema.MeChange)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(changeMe(visitor, signedIn, input))),

  changePassword: action
    .input(schema.PasswordChange)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(changePassword(visitor, signedIn, input))),

  sessions: alsoOfCompanyAccount
    .input(schema.Nothing)
    .output(schema.OwnSessions)
    .query(async ({ ctx: { visitor, signedIn } }) => toSnake({ sessions: await listSessions(visitor, signedIn) })),

  endSession: actionAlsoOfCompanyAccount
    .input(schema.SessionPath)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(endSession(visitor, signedIn, input.session_id))),

  signOutEverywhere: action
    .input(schema.SignOutEverywhere)
    .mutation(({ ctx: { visitor, signedIn }, input }) =>
      doneAfter(signOutEverywhere(visitor, signedIn, { keepsAssistants: input.keep_assistants })),
    ),

  proofQuestion: ownQuery
    .output(schema.PasskeyQuestion)
    .query(({ ctx: { visitor, signedIn } }) => proofQuestion(visitor, signedIn)),

  startCompanyProof: alsoOfCompanyAccount
    .input(schema.CompanyProof)
    .output(schema.CompanyProofStarted)
    .mutation(({ ctx: { visitor, signedIn }, input }) => answer(startCompanyProof(visitor, signedIn, input))),

  startCompanyTest: alsoOfCompanyAccount
    .input(schema.CompanyTest)
    .output(schema.CompanyProofStarted)
    .mutation(({ ctx: { visitor, signedIn }, input }) => answer(startCompanyTest(visitor, signedIn, toCamel(input)))),

  prove: action
    .input(schema.Proof)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(prove(visitor, signedIn, input))),

  passkeys: ownQuery
    .output(schema.OwnPasskeys)
    .query(async ({ ctx: { visitor, signedIn } }) => toSnake({ passkeys: await listPasskeys(visitor, signedIn) })),

  newPasskeyQuestion: accountProcedure
    .meta({ freshProof: true })
    .input(schema.Nothing)
    .output(schema.NewPasskeyQuestion)
    .mutation(({ ctx: { visitor, signedIn } }) => makePasskeyQuestion(visitor, signedIn)),

  addPasskey: actionWithProof
    .input(schema.NewPasskey)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(addPasskey(visitor, signedIn, input))),

  renamePasskey: action
    .input(schema.PasskeyChange)
    .mutation(({ ctx: { visitor, signedIn }, input }) =>
      doneAfter(renamePasskey(visitor, signedIn, { id: input.passkey_id, name: input.name })),
    ),

  removePasskey: actionWithProof
    .input(schema.PasskeyPath)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(removePasskey(visitor, signedIn, input.passkey_id))),

  secondFactor: ownQuery
    .output(schema.SecondFactorState)
    .query(({ ctx: { visitor, signedIn } }) => answer(secondFactorState(visitor, signedIn))),

  startTwoFactor: accountProcedure
    .input(schema.PasswordProof)
    .output(schema.TwoFactorStart)
    .mutation(({ ctx: { visitor, signedIn }, input }) => answer(startTwoFactor(visitor, signedIn, input.password))),

  confirmTwoFactor: action
    .input(schema.TwoFactorCode)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(confirmTwoFactor(visitor, signedIn, input.code))),

  stopTwoFactor: action
    .input(schema.PasswordProof)
    .mutation(({ ctx: { visitor, signedIn }, input }) => doneAfter(stopTwoFactor(visitor, signedIn, input.password))),

  newBackupCodes: accountProcedure
    .input(schema.PasswordProof)
    .output(schema.BackupCodes)
    .mutation(({ ctx: { visitor, signedIn }, input }) => answer(replaceBackupCodes(visitor, signedIn, input.password))),
});

/** The assistants that a person connects to their teams. */
const assistants = visitRouter({
  /** The request of an assistant for access, which the person then allows or refuses. */
  question: alsoOfCompanyAccount
    .input(AuthorizationRequest)
    .output(ConsentQuestion)
    .query(({ ctx: { visitor, signedIn }, input }) =>
      answer(consentQuestion(visitor.platform, signedIn, toCamel(input), ({ role }) => scopesOfRole[role])),
    ),

  connect: accountProcedure
    .meta({ freshProof: true, withCompanyAccount: true })
    .input(Consent)
    .output(Consented)
    .mutation(async ({ ctx: { visitor, signedIn }, input }) => ({
      redirect_to: await connectAssistant(visitor, signedIn, toCamel(input)),
    })),

  list: alsoOfCompanyAccount
    .input(schema.Nothing)
    .output(ConnectedAssistants)
    .query(async ({ ctx: { visitor, signedIn } }) =>
      toSnake({ assistants: await listAssistants(visitor.platform, signedIn) }),
    ),

  disconnect: actionAlsoOfCompanyAccount
    .input(ConnectionPath)
    .mutation(({ ctx: { visitor, signedIn }, input }) =>
      doneAfter(disconnectAssistant(visitor.platform, signedIn, input.connection_id)),
    ),
});

/** The procedures that need no team. */
export const entranceRouter = visitRouter({ entrance, account, assistants });
