import type { Texts } from '../language.ts';

/** The set-up of a team's company account (OpenID Connect), and sign-ins with it. */
export const companyMessages = {
  // The set-up
  noAnswer: (reason: Texts) => ({
    de: `Der Anbieter ist unter dieser Adresse nicht erreichbar: ${reason.de}`,
    en: `The provider can’t be reached at this address: ${reason.en}`,
  }),
  discoveryStatus: (address: string, status: number) => ({
    de: `Unter ${address} liegt keine OpenID-Konfiguration (Status ${status}). Prüfen Sie den Issuer.`,
    en: `No OpenID configuration found at ${address} (status ${status}). Check the issuer.`,
  }),
  discoveryNotJson: (address: string) => ({
    de: `Unter ${address} liegt keine OpenID-Konfiguration. Prüfen Sie den Issuer.`,
    en: `No OpenID configuration found at ${address}. Check the issuer.`,
  }),
  discoveryIncomplete: (field: string) => ({
    de: `In der OpenID-Konfiguration des Anbieters fehlt ein gültiger Wert für ${field}.`,
    en: `The provider’s OpenID configuration has no valid value for ${field}.`,
  }),
  otherIssuer: (issuer: string) => ({
    de: `Der Anbieter nennt sich selbst „${issuer}“. Tragen Sie genau diese Adresse ein.`,
    en: `The provider calls itself “${issuer}”. Enter exactly this address.`,
  }),
  noCodeFlow: {
    de: 'Der Anbieter unterstützt die Anmeldung mit einem Code (response_type „code“) nicht.',
    en: 'The provider does not support signing in with a code (response_type “code”).',
  },
  noClientSecret: {
    de: 'Der Anbieter unterstützt die Anmeldung einer Anwendung mit einem Client-Secret nicht.',
    en: 'The provider does not support applications that sign in with a client secret.',
  },
  noPkce: {
    de: 'Der Anbieter unterstützt PKCE mit S256 nicht.',
    en: 'The provider does not support PKCE with S256.',
  },
  demandFrom: (days: number) => ({
    de: `Der Zeitpunkt muss in der Zukunft liegen, höchstens ${days} Tage von heute an.`,
    en: `The time must be in the future, at most ${days} days from today.`,
  }),
  secretNeeded: {
    de: 'Geben Sie das Client-Secret ein.',
    en: 'Enter the client secret.',
  },
  notSetUp: { de: 'Es ist kein Anbieter eingerichtet.', en: 'No provider is set up.' },
  demanded: {
    de: 'Das Team verlangt die Anmeldung mit diesem Anbieter. Heben Sie das zuerst auf.',
    en: 'The team requires signing in with this provider. Remove this requirement first.',
  },
  notADomain: { de: 'Das ist keine gültige Domain.', en: 'This is not a valid domain.' },
  maxDomains: (max: number) => ({
    de: `Ein Team hat höchstens ${max} Domains.`,
    en: `A team has at most ${max} domains.`,
  }),
  recordMissing: (record: string) => ({
    de: `Der TXT-Eintrag ${record} hat den verlangten Wert noch nicht. Neue Einträge sind oft erst nach einigen Minuten sichtbar.`,
    en: `The TXT record ${record} does not have the required value yet. New records often become visible after a few minutes.`,
  }),
  demandNeedsCompany: {
    de: 'Melden Sie sich zuerst selbst mit dem Firmenkonto an. So sperren Sie niemanden aus, falls die Einrichtung nicht stimmt.',
    en: 'Sign in with the company account yourself first. So nobody is locked out if the set-up is wrong.',
  },
  demandNeedsSecondFactor: {
    de: 'Richten Sie zuerst für Ihr eigenes Konto die Zwei-Faktor-Authentifizierung ein, oder melden Sie sich mit einem Passkey an.',
    en: 'Set up two-factor authentication for your own account first, or sign in with a passkey.',
  },
  // Sign-ins
  noProvider: {
    de: 'Für diese Adresse gibt es noch keine Anmeldung mit dem Firmenkonto. Fragen Sie Ihren Admin, oder melden Sie sich mit Ihrem Passwort an.',
    en: 'There is no company sign-in for this address yet. Ask your admin, or use your password.',
  },
  startAgain: {
    de: 'Die Anmeldung ist abgelaufen oder wurde schon verwendet. Beginnen Sie sie bitte neu.',
    en: 'The sign-in has expired or was used already. Please start again.',
  },
  providerRefused: (reason: string) => ({
    de: `Der Anbieter hat die Anmeldung abgelehnt: ${reason}`,
    en: `The provider has refused the sign-in: ${reason}`,
  }),
  answerInvalid: {
    de: 'Die Antwort des Anbieters war nicht gültig. Wenn das erneut geschieht, wenden Sie sich an Ihre IT-Abteilung.',
    en: 'The provider’s answer was not valid. If this happens again, contact your IT department.',
  },
  noEmail: {
    de: 'Der Anbieter hat keine E-Mail-Adresse übermittelt. Ihre IT-Abteilung muss den Claim „email“ freigeben.',
    en: 'The provider has sent no email address. Your IT department has to release the claim “email”.',
  },
  emailNotVerified: {
    de: 'Ihre E-Mail-Adresse ist beim Anbieter nicht bestätigt.',
    en: 'Your email address is not verified at the provider.',
  },
  otherDomain: (email: string) => ({
    de: `Die Adresse ${email} gehört zu keiner Domain, die das Team zulässt.`,
    en: `The address ${email} belongs to no domain that the team allows.`,
  }),
  invalidSubject: (max: number) => ({
    de: `Der Anbieter nennt keine gültige ID Ihres Kontos. Der Claim „sub“ muss aus 1 bis ${max} ASCII-Zeichen bestehen.`,
    en: `The provider sends no valid id of your account. The claim “sub” must have 1 to ${max} ASCII characters.`,
  }),
  noSignInTime: {
    de: 'Der Anbieter hat nicht übermittelt, wann Sie sich angemeldet haben. Ihre IT-Abteilung muss den Claim „auth_time“ freigeben.',
    en: 'The provider did not say when you signed in. Your IT department has to release the claim “auth_time”.',
  },
  notFresh: {
    de: 'Der Anbieter hat nicht erneut nach Ihrer Anmeldung gefragt.',
    en: 'The provider did not ask you to sign in again.',
  },
  noSeat: {
    de: 'Im Team ist kein Platz frei. Wenden Sie sich an einen Admin Ihres Teams.',
    en: 'The team has no free seat. Contact an admin of your team.',
  },
  removed: {
    de: 'Sie wurden aus dem Team entfernt. Ein Admin kann Sie erneut einladen.',
    en: 'You were removed from the team. An admin can invite you again.',
  },
  otherAccount: {
    de: 'Diese Adresse ist im Team mit einem anderen Konto des Anbieters verbunden. Ein Admin kann das Mitglied entfernen und erneut einladen.',
    en: 'This address is linked to another account of the provider. An admin can remove the member and invite them again.',
  },
  onlyInTeam: {
    de: 'Mit dem Firmenkonto angemeldet können Sie das nicht ändern. Melden Sie sich mit Ihrem Passwort oder einem Passkey an.',
    en: 'You can’t change this while signed in with the company account. Sign in with your password or a passkey.',
  },
} as const;
