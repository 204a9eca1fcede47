import { limits } from '../limits.ts';
import type { Message } from '../language.ts';

/** Why a person or a key may not do something, or may not do it so often. */
export const accessMessages = {
  adminsOnly: {
    de: 'Nur der Inhaber und die Admins des Teams können diese Aktion ausführen.',
    en: 'Only the team’s owner and admins can do this.',
  },
  rightNeeded: {
    de: 'Nur der Inhaber und Admins mit der entsprechenden Berechtigung können diese Aktion ausführen.',
    en: 'Only the owner and admins with the required permission can do this.',
  },
  ownerOnly: {
    de: 'Nur der Inhaber des Teams kann diese Aktion ausführen.',
    en: 'Only the team’s owner can do this.',
  },
  scopeNeeded: (scope: string) => ({
    de: `Für diese Aktion fehlt die Berechtigung ${scope}.`,
    en: `This operation needs the scope ${scope}.`,
  }),
  proofNeeded: {
    de: 'Bitte bestätigen Sie diese Änderung mit Ihrem Passwort oder einem Passkey.',
    en: 'Please confirm this change with your password or a passkey.',
  },
  apiIsOff: {
    title: {
      de: 'Der Tarif Ihres Teams enthält keinen API-Zugang',
      en: 'Your team’s plan does not include API access',
    },
    de: 'Der Tarif des Teams enthält keinen API-Zugang, oder das Team ist nicht aktiv.',
    en: 'The team’s plan does not include API access, or the team is not active.',
  },
  maintenance: {
    title: { de: 'Wartungsarbeiten', en: 'Maintenance in progress' },
    de: 'Die Anwendung ist in Kürze wieder verfügbar.',
    en: 'The app will be back shortly.',
  },
  teamChanges: {
    title: {
      de: 'Ihr Team hat das Limit für Änderungen pro Minute erreicht',
      en: 'Your team has reached its limit of changes per minute',
    },
    de: 'Das Limit gilt für alle Mitglieder des Teams zusammen.',
    en: 'The limit applies to all members of the team together.',
  },
  ownShareInUse: {
    title: {
      de: 'Zu viele Anfragen Ihres Teams gleichzeitig',
      en: 'Too many requests of your team at once',
    },
    de: 'Ihr Team hat mehr Anfragen gleichzeitig gesendet, als sein Anteil am Dienst zulässt.',
    en: 'Your team has sent more requests at once than its share of the service allows.',
    api: 'The team has sent more requests at once than its share of the service allows. Send fewer at the same time.',
  },
  noCompleteKey: {
    de: 'Das ist kein vollständiger Schlüssel dieses Dienstes. Kopieren Sie ihn noch einmal.',
    en: 'This is not a complete key of this service. Copy it again.',
  },
  storageFull: {
    de: 'Der Speicherplatz des Teams ist voll. Löschen Sie Fälle oder Aufgaben, oder wechseln Sie in einen größeren Tarif.',
    en: 'The team’s storage is full. Delete cases or assignments, or upgrade the plan.',
  },
  exports: (max: number) => ({
    de: `Ein Team kann höchstens ${max}-mal pro Stunde exportiert werden.`,
    en: `A team can be exported at most ${max} times per hour.`,
  }),
  dataBeingDeleted: {
    de: 'Die Daten des Teams werden gerade gelöscht. Das Team kann nicht wieder freigeschaltet werden.',
    en: 'The team’s data is being deleted. The team can’t be reactivated.',
  },
  bodyCompressed: {
    de: 'Komprimierte Anfragen werden nicht unterstützt.',
    en: 'Compressed requests are not supported.',
  },
  bodyTooLarge: (max: number) => ({
    de: `Die Eingabe ist zu groß: höchstens ${max} Bytes.`,
    en: `The input is too large: at most ${max} bytes.`,
  }),
  bodyCutShort: { de: 'Die Anfrage war unvollständig.', en: 'The request was incomplete.' },
  requestNotLogged: {
    de: 'Die Anfrage ist nicht im Protokoll oder wird nicht mehr aufbewahrt.',
    en: 'The log has no such request, or it is no longer kept.',
  },
} as const;

const { min, max } = limits.passwordCharacters;

/** The entrance and the account. */
export const signInMessages = {
  wrongPassword: { de: 'Das Passwort ist falsch.', en: 'The password is wrong.' },
  wrongCode: { de: 'Der Code ist falsch.', en: 'The code is wrong.' },
  notPossibleNow: { de: 'Das ist zurzeit nicht möglich.', en: 'This is not possible at the moment.' },
  passwordLength: {
    de: `Das Passwort muss ${min} bis ${max} Zeichen lang sein.`,
    en: `The password must have ${min} to ${max} characters.`,
  },
  accountDeleted: {
    de: 'Das Konto mit dieser Adresse wurde gelöscht.',
    en: 'The account with this address was deleted.',
  },
  otherAddressInvited: {
    de: 'Melden Sie sich mit der Adresse an, die eingeladen wurde.',
    en: 'Sign in with the address that was invited.',
  },
  memberWithOtherAddress: {
    de: 'Sie sind mit einer anderen Adresse bereits Mitglied dieses Teams.',
    en: 'You are already a member of this team with another address.',
  },
  assistantRequestInvalid: (parameter: string) => ({
    de: `Die Anfrage des Assistenten ist ungültig: ${parameter}.`,
    en: `The assistant’s request is invalid: ${parameter}.`,
  }),
  passwordOrPasskey: {
    de: 'Bitte verwenden Sie entweder Ihr Passwort oder einen Passkey.',
    en: 'A proof is either a password or a passkey.',
  },
  passkeyNotAccepted: { de: 'Der Passkey wurde nicht akzeptiert.', en: 'The passkey was not accepted.' },
  maxPasskeys: (max: number) => ({
    de: `Sie können höchstens ${max} Passkeys haben.`,
    en: `You can have at most ${max} passkeys.`,
  }),
  passkeyKnown: { de: 'Dieser Passkey ist bereits hinzugefügt.', en: 'This passkey has already been added.' },
} as const;

export const memberMessages = {
  notInTeam: { de: 'Das Mitglied gehört nicht zum Team.', en: 'The member is not in this team.' },
  notActive: { de: 'Das Mitglied ist nicht aktiv.', en: 'The member is not active.' },
  emailTaken: {
    de: 'Diese Person ist bereits Mitglied oder eingeladen.',
    en: 'This person is already a member or invited.',
  },
  externalIdTaken: {
    de: 'Ein anderes Mitglied hat diese externe ID.',
    en: 'Another member has this external ID.',
  },
  invitationsPerHour: (max: number) => ({
    de: `Ein Team kann ${max} Personen pro Stunde einladen.`,
    en: `A team can invite ${max} people per hour.`,
  }),
  mailsOfTeam: {
    de: 'Das Team hat das Tageslimit für E-Mails erreicht.',
    en: 'The team has reached its daily limit for emails.',
  },
  invitationsToAddress: {
    de: 'Für diese Adresse ist das Tageslimit für Einladungen erreicht.',
    en: 'The daily limit for invitations to this address is reached.',
  },
  alreadyAccepted: {
    de: 'Die Einladung wurde bereits angenommen.',
    en: 'The invitation was already accepted.',
  },
  notYetAccepted: {
    de: 'Das Mitglied hat die Einladung noch nicht angenommen.',
    en: 'The member has not accepted the invitation yet.',
  },
  noPasswordYet: {
    de: 'Das Mitglied hat die Einladung noch nicht angenommen und hat noch kein Passwort.',
    en: 'The member has not accepted the invitation and has no password yet.',
  },
  adminRole: {
    de: 'Nur der Inhaber und aktive Admins können die Rolle Admin vergeben oder entziehen.',
    en: 'Only the owner and active admins can grant or revoke the role admin.',
    api: 'Only the owner, an active admin, or a key that one of them created can grant or revoke the role admin.',
  },
  grantableRoles: {
    de: 'Sie können nur die Rollen Mitglied und Admin vergeben.',
    en: 'You can grant only the roles member and admin.',
  },
  ownerHasAllRights: {
    de: 'Der Inhaber hat bereits alle Berechtigungen.',
    en: 'The owner already has all permissions.',
  },
  newOwnerNotActive: {
    de: 'Nur ein aktives Mitglied kann Inhaber werden.',
    en: 'Only an active member can become the owner.',
  },
  ownerTransfers: { de: 'Nur der Inhaber kann das Team übergeben.', en: 'Only the owner can transfer the team.' },
  alreadyOwner: { de: 'Diese Person ist bereits Inhaber.', en: 'This person is already the owner.' },
  stillMember: {
    de: 'Nur die Daten ehemaliger Mitglieder können gelöscht werden. Entfernen Sie das Mitglied zuerst.',
    en: 'Only the data of former members can be erased. Remove the member first.',
  },
  addressInEndpoint: (id: string) => ({
    de: `Die URL des Webhook-Endpunkts ${id} enthält die E-Mail-Adresse. Ändern Sie sie zuerst.`,
    en: `The URL of the webhook endpoint ${id} contains the email address. Change it first.`,
  }),
  addressInConnection: (id: string) => ({
    de: `Die URL der CRM-Verbindung ${id} enthält die E-Mail-Adresse. Ändern Sie sie zuerst.`,
    en: `The URL of the CRM connection ${id} contains the email address. Change it first.`,
  }),
} as const;

export const keyMessages = {
  name: {
    de: `Der Name muss eine Zeile mit 1 bis ${limits.keyNameCharacters} Zeichen sein, ohne unsichtbare Zeichen.`,
    en: `The name must be one line of 1 to ${limits.keyNameCharacters} characters, without invisible characters.`,
  },
  noApiInPlan: { de: 'Ihr Tarif enthält keinen API-Zugang.', en: 'Your plan does not include API access.' },
  creatorNotActive: {
    de: 'Nur aktive Mitglieder können Schlüssel anlegen.',
    en: 'Only active members can create keys.',
  },
  creatorNoAdmin: {
    de: 'Nur der Inhaber und Admins können Schlüssel anlegen.',
    en: 'Only the owner and admins can create keys.',
  },
  creatorWithoutRight: {
    de: 'Zum Anlegen von Schlüsseln benötigen Sie eine Berechtigung des Inhabers.',
    en: 'To create keys you need permission from the owner.',
  },
  newKeysPerDay: {
    de: `Ein Team kann innerhalb von 24 Stunden ${limits.newKeysPerDay} Schlüssel anlegen oder rotieren.`,
    en: `A team can create or rotate ${limits.newKeysPerDay} keys within 24 hours.`,
  },
  maxActive: {
    de: `Ein Team kann höchstens ${limits.activeKeys} aktive Schlüssel haben. Widerrufen Sie einen nicht mehr verwendeten Schlüssel.`,
    en: `A team can have at most ${limits.activeKeys} active keys. Revoke a key that is no longer used.`,
  },
  templateOrScopes: {
    de: 'Wählen Sie entweder eine Vorlage oder Berechtigungen.',
    en: 'Select either a template or scopes.',
  },
  expiryInPast: { de: 'Das Ablaufdatum liegt in der Vergangenheit.', en: 'The expiry date is in the past.' },
  noScope: { de: 'Wählen Sie mindestens eine Berechtigung aus.', en: 'Select at least one scope.' },
  unknownScope: (scope: string) => ({
    de: `Die Berechtigung ${scope} gibt es nicht.`,
    en: `The scope ${scope} does not exist.`,
  }),
  gracePeriod: {
    de: `Die Übergangsfrist kann 0 bis ${limits.keyRotationGraceDays} Tage betragen.`,
    en: `The grace period can be 0 to ${limits.keyRotationGraceDays} days.`,
  },
  notActive: { de: 'Der Schlüssel ist nicht mehr aktiv.', en: 'The key is no longer active.' },
  alreadyRotated: { de: 'Der Schlüssel wurde bereits rotiert.', en: 'The key was already rotated.' },
  notFound: { de: 'Der Schlüssel existiert nicht.', en: 'The key does not exist.' },
  wrongAddresses: (addresses: readonly string[]): Message => ({
    de: `Keine gültigen IP-Adressen oder Netze: ${addresses.join(', ')}.`,
    en: `Not valid IP addresses or networks: ${addresses.join(', ')}.`,
  }),
} as const;
