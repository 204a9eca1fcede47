export { openAuth } from './auth.ts';
export type { Auth } from './auth.ts';
export {
  changeMe,
  changePassword,
  confirmTwoFactor,
  endSession,
  listSessions,
  newBackupCodes,
  signOutEverywhere,
  startTwoFactor,
  stopTwoFactor,
} from './own-account.ts';
export { requestReset, resetState, setNewPassword } from './reset.ts';
export { needTryFromHere, proveSecondFactor, signIn, signOut } from './sign-in.ts';
export { visitorOf } from './visitor.ts';
export type { Visitor } from './visitor.ts';
