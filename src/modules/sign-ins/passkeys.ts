import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { later, secondsToMs } from '../../core/clock.ts';
import { randomText } from '../../core/crypto.ts';
import { isId, makeId } from '../../core/ids.ts';
import { signInLimits } from '../../core/limits.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import { serviceName } from '../../core/product.ts';
import type { Platform } from '../../platform/team.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { lockPerson, noteHasPasskey } from '../people/store.ts';
import type { CreatedPasskey, PasskeyAnswer, SignedIn } from './schema.ts';
import { passkeys } from './store.ts';
import { auditInTeams, isFirst } from './tries.ts';
import type { Visitor } from './visitor.ts';

// Passkeys (WebAuthn). The browser answers a challenge with a passkey of this site. Each passkey verifies the person
// itself (fingerprint, face, PIN), so it replaces the password and the second factor together.

/** The site to which passkeys belong: the host of the public URL. */
const siteOf = ({ publicUrl }: Platform): string => new URL(publicUrl).hostname;

/** The purpose of a challenge: signing in, or a change in one session. An answer is valid only for its purpose. */
type ChallengeUse = 'sign in' | `prove ${string}` | `add ${string}`;

// Challenges are signed and not stored, so that visits without a sign-in leave no rows. A challenge expires and can be
// answered once.

const purpose = 'passkey challenge';

const makeChallenge = ({ vault, clock }: Platform, use: ChallengeUse): string => {
  const expires = later(clock.now(), secondsToMs(signInLimits.passkeyChallengeSeconds)).getTime();
  const text = `${expires}.${randomText(22)}`;
  return Buffer.from(`${text}.${vault.sign(purpose, `${use} ${text}`)}`).toString('base64url');
};

/** Whether we made this challenge for this use, and it has not expired. */
const isOwnChallenge = ({ vault, clock }: Platform, use: ChallengeUse, challenge: string): boolean => {
  const [expires = '', random = '', signature = '', ...more] = Buffer.from(challenge, 'base64url')
    .toString()
    .split('.');
  if (more.length > 0 || !vault.isSigned(purpose, `${use} ${expires}.${random}`, signature)) return false;
  return Number(expires) > clock.now().getTime();
};

/**
 * The values that an answer must contain. The library asks whether the challenge in the answer is ours, and `answered`
 * keeps this challenge.
 */
const expectedFor = (platform: Platform, use: ChallengeUse) => {
  const answered = { challenge: '' };
  const expected = {
    expectedChallenge: (text: string) => {
      answered.challenge = text;
      return isOwnChallenge(platform, use, text);
    },
    expectedOrigin: new URL(platform.publicUrl).origin,
    expectedRPID: siteOf(platform),
    requireUserVerification: true,
  };
  return { answered, expected };
};

const isFirstAnswer = ({ database }: Platform, challenge: string): Promise<boolean> =>
  isFirst(database, { what: 'answer to', whom: challenge, seconds: signInLimits.passkeyChallengeSeconds });

interface StoredPasskey {
  credentialId: string;
  transports: string[];
}

const asKnown = ({ credentialId: id, transports }: StoredPasskey) => ({ type: 'public-key' as const, id, transports });

const questionFor = (platform: Platform, use: ChallengeUse, known: readonly StoredPasskey[]) => ({
  challenge: makeChallenge(platform, use),
  rpId: siteOf(platform),
  timeout: secondsToMs(signInLimits.passkeyChallengeSeconds),
  userVerification: 'required' as const,
  allowCredentials: known.map(asKnown),
});

/** The challenge for a sign-in. The browser offers the passkeys that it has for this site. */
export const signInQuestion = ({ platform }: Visitor) => questionFor(platform, 'sign in', []);

/** The challenge with which a signed-in person proves their identity again. */
export const proofQuestion = async ({ platform }: Visitor, { personId, sessionId }: SignedIn) =>
  questionFor(platform, `prove ${sessionId}`, await passkeys.ofPerson(platform.database.prisma, personId));

const wrong = (): never => fail('validation_error', { field: 'passkey', detail: signInMessages.passkeyNotAccepted });

/** The library throws for every mismatch: another site or origin, an unknown challenge, a wrong signature. */
const orUndefined = async <T>(checked: Promise<T>): Promise<T | undefined> => checked.catch(() => undefined);

/** The id of the person whose passkey gave this answer; refuses every other answer. */
export const personOfAnswer = async (visitor: Visitor, use: ChallengeUse, answer: PasskeyAnswer): Promise<string> => {
  const { platform } = visitor;
  const { database, clock } = platform;
  const stored = await passkeys.byCredential(database.prisma, answer.id);
  const refuse = (): never => {
    visitor.report('passkey_wrong', { personId: stored?.personId });
    return wrong();
  };
  if (!stored) return refuse();
  const { id, personId, counter: former } = stored;
  const { userHandle, clientDataJSON, authenticatorData, signature } = answer.response;
  const { answered, expected } = expectedFor(platform, use);
  const checked = await orUndefined(
    verifyAuthenticationResponse({
      response: {
        id: answer.id,
        rawId: answer.rawId,
        type: answer.type,
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      credential: { id: stored.credentialId, publicKey: stored.publicKey, counter: Number(former) },
      ...expected,
    }),
  );
  if (checked?.verified !== true) return refuse();
  const isOwners =
    userHandle === undefined || userHandle === null || userHandle === '' || userHandle === handleOf(personId);
  if (!isOwners || !(await isFirstAnswer(platform, answered.challenge))) return refuse();
  const counter = BigInt(checked.authenticationInfo.newCounter);
  if (!(await passkeys.use(database.prisma, id, { counter, former, lastUsedAt: clock.now() }))) return refuse();
  return personId;
};

/**
 * The user handle in a person's passkeys. It is an id and no address, because authenticators may store it unprotected,
 * although they show it to nobody.
 */
const handleOf = (personId: string): string => Buffer.from(personId).toString('base64url');

/** ES256, EdDSA and RS256: every authenticator supports at least one of them. */
const algorithms = [-7, -8, -257];

/** The challenge with which a browser makes a passkey for the signed-in person. */
export const makePasskeyQuestion = async ({ platform }: Visitor, { personId, sessionId, email, name }: SignedIn) => {
  const known = await passkeys.ofPerson(platform.database.prisma, personId);
  return {
    challenge: makeChallenge(platform, `add ${sessionId}`),
    rp: { id: siteOf(platform), name: serviceName },
    user: { id: handleOf(personId), name: email, displayName: name ?? email },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: secondsToMs(signInLimits.passkeyChallengeSeconds),
    attestation: 'none' as const,
    // The passkey must be discoverable, so that the person can sign in with the passkey without typing their address.
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true as const,
      userVerification: 'required' as const,
    },
    excludeCredentials: known.map(asKnown),
  };
};

/**
 * Adds a passkey that the browser has made, writes it into the audit logs of the person's teams and mails the person.
 */
export const addPasskey = async (
  visitor: Visitor,
  signedIn: SignedIn,
  { name, passkey }: { name: string; passkey: CreatedPasskey },
): Promise<void> => {
  const { platform } = visitor;
  const { database, clock, publicUrl } = platform;
  const { personId, sessionId } = signedIn;
  const { clientDataJSON, attestationObject, transports = [] } = passkey.response;
  const { answered, expected } = expectedFor(platform, `add ${sessionId}`);
  const checked = await orUndefined(
    verifyRegistrationResponse({
      response: {
        id: passkey.id,
        rawId: passkey.rawId,
        type: passkey.type,
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      supportedAlgorithmIDs: algorithms,
      ...expected,
    }),
  );
  if (checked?.verified !== true || !(await isFirstAnswer(platform, answered.challenge))) return wrong();
  const { credential } = checked.registrationInfo;
  await database.transaction(async (tx) => {
    // The person is locked, so that two requests at once can't exceed the limit together.
    lockPerson(tx, personId);
    const own = await passkeys.ofPerson(tx, personId);
    if (own.length >= signInLimits.passkeysPerPerson) {
      fail('conflict', { detail: signInMessages.maxPasskeys(signInLimits.passkeysPerPerson) });
    }
    if (await passkeys.byCredential(tx, credential.id)) fail('conflict', { detail: signInMessages.passkeyKnown });
    await passkeys.insert(tx, {
      id: makeId(),
      personId,
      name,
      credentialId: credential.id,
      publicKey: credential.publicKey,
      counter: BigInt(credential.counter),
      transports,
      createdAt: clock.now(),
    });
    await noteHasPasskey(tx, personId, true);
    const { teams } = signedIn;
    await auditInTeams(tx, platform, { action: 'passkey.added', teams, byThemselves: true, address: visitor.address });
    await queueMails(tx, { platform, id: null }, [changedMail(signedIn, `${publicUrl}/account`, { change: 'added' })]);
  });
};

/** A person's passkeys, the oldest first. */
export const listPasskeys = async ({ platform }: Visitor, { personId }: SignedIn) =>
  (await passkeys.ofPerson(platform.database.prisma, personId)).map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    createdAt,
    lastUsedAt,
  }));

export const renamePasskey = async (
  { platform }: Visitor,
  { personId }: SignedIn,
  { id, name }: { id: string; name: string },
): Promise<void> => {
  const { count } = isId(id) ? await passkeys.rename(platform.database.prisma, personId, id, name) : { count: 0 };
  if (count === 0) fail('not_found');
};

/** Removes a passkey, which then can't be used to sign in. Sessions that began with it stay. */
export const removePasskey = async ({ platform, address }: Visitor, signedIn: SignedIn, id: string): Promise<void> => {
  const { database, publicUrl } = platform;
  const { personId, teams } = signedIn;
  await database.transaction(async (tx) => {
    lockPerson(tx, personId);
    const { count } = isId(id) ? await passkeys.remove(tx, personId, id) : { count: 0 };
    if (count === 0) fail('not_found');
    await noteHasPasskey(tx, personId, (await passkeys.ofPerson(tx, personId)).length > 0);
    await auditInTeams(tx, platform, { action: 'passkey.removed', teams, byThemselves: true, address });
    await queueMails(tx, { platform, id: null }, [
      changedMail(signedIn, `${publicUrl}/account`, { change: 'removed' }),
    ]);
  });
};

const changedMail = mailTemplate<{ change: 'added' | 'removed' }>('passkeys_changed', {
  de: ({ change }) => ({
    lead:
      change === 'added'
        ? 'Zu Ihrem Konto wurde ein Passkey hinzugefügt. Damit kann man sich ohne Passwort anmelden.'
        : 'Ein Passkey wurde aus Ihrem Konto entfernt. Eine Anmeldung mit ihm ist nicht mehr möglich.',
    action: 'Konto und Sicherheit öffnen',
    ending:
      'Waren Sie das nicht? Dann entfernen Sie unbekannte Passkeys, ändern Sie Ihr Passwort und melden Sie alle Sitzungen ab.',
  }),
  en: ({ change }) => ({
    lead:
      change === 'added'
        ? 'A passkey was added to your account. It signs you in without a password.'
        : 'A passkey was removed from your account. It can no longer be used to sign in.',
    action: 'Open account and security',
    ending: 'If this wasn’t you, remove unknown passkeys, change your password and sign out all sessions.',
  }),
});
