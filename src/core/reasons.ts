import type { Texts } from './language.ts';

/**
 * The sentences with which the server explains a refused request or a failed delivery: the English text for clients of the API, a German
 * text for people, and an English text for people if the API's text is written for programs. `{name}` is a placeholder. The API sends its
 * English text (in `detail`, in the history of deliveries); the app and the mails look up the text in the reader's language here. A test
 * compares this list with the code.
 */
type Sentence = readonly [server: string, de: string, en?: string];

// More specific sentences come first, because a placeholder matches any text.
export const sentences: readonly Sentence[] = [
  // Values of every form.
  ['Unknown key', 'Dieses Feld ist nicht bekannt.', 'This field is not known.'],
  [
    'Too small: expected string to have >=1 characters',
    'Bitte füllen Sie dieses Feld aus.',
    'Please fill in this field.',
  ],
  ['Too small: expected array to have >=1 items', 'Mindestens 1 Eintrag.', 'At least 1 item.'],
  [
    'Too small: expected {kind} to have exactly {count} characters',
    'Genau {count} Zeichen.',
    'Exactly {count} characters.',
  ],
  [
    'Too big: expected {kind} to have exactly {count} characters',
    'Genau {count} Zeichen.',
    'Exactly {count} characters.',
  ],
  [
    'Too small: expected string to have >={least} characters',
    'Mindestens {least} Zeichen.',
    'At least {least} characters.',
  ],
  ['Too big: expected string to have <={most} characters', 'Höchstens {most} Zeichen.', 'At most {most} characters.'],
  ['Too small: expected array to have >={least} items', 'Mindestens {least} Einträge.', 'At least {least} items.'],
  ['Too big: expected array to have <={most} items', 'Höchstens {most} Einträge.', 'At most {most} items.'],
  ['Too small: expected {kind} to be >={least}', 'Mindestens {least}.', 'At least {least}.'],
  ['Too small: expected {kind} to be >{least}', 'Mehr als {least}.', 'More than {least}.'],
  ['Too big: expected {kind} to be <={most}', 'Höchstens {most}.', 'At most {most}.'],
  ['Too big: expected {kind} to be <{most}', 'Weniger als {most}.', 'Less than {most}.'],
  [
    'Invalid input: expected {kind}, received undefined',
    'Bitte füllen Sie dieses Feld aus.',
    'Please fill in this field.',
  ],
  ['Invalid input: expected {kind}, received {other}', 'Der Wert ist ungültig.', 'The value is invalid.'],
  [
    'Invalid option: expected one of {options}',
    'Dieser Wert steht nicht zur Auswahl.',
    'This value is not one of the options.',
  ],
  ['Invalid email address', 'Geben Sie eine gültige E-Mail-Adresse ein.', 'Enter a valid email address.'],
  ['Invalid ISO date', 'Geben Sie ein gültiges Datum ein.', 'Enter a valid date.'],
  ['Invalid {format}', 'Der Wert ist ungültig.', 'The value is invalid.'],
  ['It has at most {most} characters', 'Höchstens {most} Zeichen.', 'At most {most} characters.'],
  ['It has {least} to {most} characters', '{least} bis {most} Zeichen.', '{least} to {most} characters.'],
  ['It has {least} to {most} characters.', '{least} bis {most} Zeichen.', '{least} to {most} characters.'],
  ['It has at most {most} bytes', 'Höchstens {most} Bytes.', 'At most {most} bytes.'],
  [
    'It is one line, without control characters and characters that nobody sees.',
    'Geben Sie eine einzelne Zeile ohne Steuerzeichen und unsichtbare Zeichen ein.',
    'Enter a single line without control characters and invisible characters.',
  ],
  [
    'It must not contain a web or email address. Write a space after a full stop.',
    'Der Name darf keine Web- oder E-Mail-Adresse enthalten. Setzen Sie nach einem Punkt ein Leerzeichen.',
    'The name must not contain a web or email address. Put a space after a full stop.',
  ],
  [
    'It must not contain a phone number.',
    'Der Name darf keine Telefonnummer enthalten.',
    'The name must not contain a phone number.',
  ],
  ['This is no name.', 'Geben Sie einen gültigen Namen ein.', 'Enter a valid name.'],
  ['It is no email address.', 'Geben Sie eine gültige E-Mail-Adresse ein.', 'Enter a valid email address.'],
  ['There is no year 0', 'Geben Sie ein gültiges Datum ein.', 'Enter a valid date.'],
  ['It is a time with an offset, like {example}', 'Geben Sie einen gültigen Zeitpunkt ein.', 'Enter a valid time.'],
  [
    'A text must not contain NUL',
    'Der Text enthält ein unzulässiges Zeichen.',
    'The text contains an invalid character.',
  ],
  [
    'A text must be well-formed Unicode',
    'Der Text enthält ein unzulässiges Zeichen.',
    'The text contains an invalid character.',
  ],
  [
    'It has more than {count} values in all',
    'Mehr als {count} Werte sind nicht möglich.',
    'More than {count} values are not possible.',
  ],
  [
    'It has more than {count} keys in all',
    'Mehr als {count} Schlüssel sind nicht möglich.',
    'More than {count} keys are not possible.',
  ],
  ['The number is too large', 'Die Zahl ist zu groß.', 'The number is too large.'],
  ['It nests deeper than {most} levels', 'Höchstens {most} verschachtelte Ebenen.', 'At most {most} nested levels.'],
  ['It nests deeper than {most} levels.', 'Höchstens {most} verschachtelte Ebenen.', 'At most {most} nested levels.'],
  ['It has too many values.', 'Zu viele Werte.', 'Too many values.'],
  ['It is not JSON that can be stored.', 'Das ist kein gültiges JSON.', 'This is not valid JSON.'],
  ['It has at most {most} bytes of JSON.', 'Höchstens {most} Bytes JSON.', 'At most {most} bytes of JSON.'],
  [
    'The cursor is not from this list with these filters: send next_cursor back unchanged.',
    'Die Liste hat sich geändert. Laden Sie die Seite neu.',
    'The list has changed. Reload the page.',
  ],
  [
    'A compressed body is not read.',
    'Komprimierte Anfragen werden nicht unterstützt.',
    'Compressed requests are not supported.',
  ],
  [
    'A body has at most {most} bytes.',
    'Die Eingabe ist zu groß: höchstens {most} Bytes.',
    'The input is too large: at most {most} bytes.',
  ],
  ['The body ended too early.', 'Die Anfrage war unvollständig.', 'The request was incomplete.'],

  // Rights, budgets and the state of the team.
  [
    'All people of a team together can make a limited number of changes in the app within a minute.',
    'Das Limit gilt für alle Mitglieder des Teams zusammen.',
    'The limit applies to all members of the team together.',
  ],
  [
    'The team’s plan does not include the API, or the team is not active.',
    'Der Tarif des Teams enthält keinen API-Zugang, oder das Team ist nicht aktiv.',
    'The team’s plan does not include API access, or the team is not active.',
  ],
  ['Maintenance is under way.', 'Die Anwendung ist in Kürze wieder verfügbar.', 'The app will be back shortly.'],
  [
    'Only the owner and admins of the team may do this.',
    'Nur der Inhaber und die Admins des Teams können diese Aktion ausführen.',
    'Only the team’s owner and admins can do this.',
  ],
  [
    'Only the owner and admins with the right {right} may do this.',
    'Nur der Inhaber und Admins mit der entsprechenden Berechtigung können diese Aktion ausführen.',
    'Only the owner and admins with the required permission can do this.',
  ],
  [
    'Only the owner of the team may do this.',
    'Nur der Inhaber des Teams kann diese Aktion ausführen.',
    'Only the team’s owner can do this.',
  ],
  [
    'This operation needs the scope {scope}.',
    'Für diese Aktion fehlt die Berechtigung {scope}.',
    'This action needs the scope {scope}.',
  ],
  [
    'The team has used up the storage of its plan. Delete cases or assignments, or move to a larger plan.',
    'Der Speicherplatz des Teams ist voll. Löschen Sie Fälle oder Aufgaben, oder wechseln Sie in einen größeren Tarif.',
    'The team’s storage is full. Delete cases or assignments, or upgrade the plan.',
  ],
  [
    'A team can be exported {most} times an hour.',
    'Ein Team kann höchstens {most}-mal pro Stunde exportiert werden.',
    'A team can be exported at most {most} times per hour.',
  ],
  [
    'The data of the team is being deleted, so it can’t be resumed.',
    'Die Daten des Teams werden gerade gelöscht. Das Team kann nicht wieder freigeschaltet werden.',
    'The team’s data is being deleted. The team can’t be reactivated.',
  ],

  // The entrance and the account.
  ['The password is wrong.', 'Das Passwort ist falsch.'],
  ['The code is wrong.', 'Der Code ist falsch.'],
  ['The {field} is wrong.', 'Die Angabe ist falsch.', 'This is wrong.'],
  ['This is not possible now: {reason}.', 'Das ist zurzeit nicht möglich.', 'This is not possible at the moment.'],
  [
    'A password has {least} to {most} characters.',
    'Das Passwort muss {least} bis {most} Zeichen lang sein.',
    'The password must have {least} to {most} characters.',
  ],
  ['The account with this address was deleted.', 'Das Konto mit dieser Adresse wurde gelöscht.'],
  ['Sign in with the address that was invited.', 'Melden Sie sich mit der Adresse an, die eingeladen wurde.'],
  [
    'You are already a member of this team, with another address.',
    'Sie sind mit einer anderen Adresse bereits Mitglied dieses Teams.',
    'You are already a member of this team with another address.',
  ],
  [
    "The assistant's request is not valid: {parameter}.",
    'Die Anfrage des Assistenten ist ungültig: {parameter}.',
    'The assistant’s request is invalid: {parameter}.',
  ],

  // Members and invitations.
  [
    'The email already belongs to a member of this team.',
    'Diese Person ist bereits Mitglied oder eingeladen.',
    'This person is already a member or invited.',
  ],
  [
    'A team can invite {most} people an hour.',
    'Ein Team kann {most} Personen pro Stunde einladen.',
    'A team can invite {most} people per hour.',
  ],
  [
    'The team has sent as many mails as it can in a day.',
    'Das Team hat das Tageslimit für E-Mails erreicht.',
    'The team has reached its daily limit for emails.',
  ],
  [
    'As many invitations were sent to this address as it can get in a day.',
    'Für diese Adresse ist das Tageslimit für Einladungen erreicht.',
    'The daily limit for invitations to this address is reached.',
  ],
  ['The invitation was already accepted.', 'Die Einladung wurde bereits angenommen.'],
  [
    'Only the owner, an active admin, or a key that one of them created can grant or revoke the role admin.',
    'Nur der Inhaber und aktive Admins können die Rolle Admin vergeben oder entziehen.',
    'Only the owner and active admins can grant or revoke the role admin.',
  ],
  [
    'The roles that can be granted are member and admin.',
    'Sie können nur die Rollen Mitglied und Admin vergeben.',
    'You can grant only the roles member and admin.',
  ],
  [
    'The owner has every right.',
    'Der Inhaber hat bereits alle Berechtigungen.',
    'The owner already has all permissions.',
  ],
  ['Only an active member can become the owner.', 'Nur ein aktives Mitglied kann Inhaber werden.'],
  [
    'Only the owner can hand the team over.',
    'Nur der Inhaber kann das Team übergeben.',
    'Only the owner can transfer the team.',
  ],
  ['This is the owner already.', 'Diese Person ist bereits Inhaber.', 'This person is already the owner.'],
  [
    'A member who has not accepted the invitation has no password yet.',
    'Das Mitglied hat die Einladung noch nicht angenommen und hat noch kein Passwort.',
    'The member has not accepted the invitation and has no password yet.',
  ],
  [
    'Only a former member can be erased. Remove the member first.',
    'Nur die Daten ehemaliger Mitglieder können gelöscht werden. Entfernen Sie das Mitglied zuerst.',
    'Only the data of former members can be erased. Remove the member first.',
  ],
  [
    'The URL of the {what} {id} contains the address. Change it first.',
    'Die URL von {id} enthält die E-Mail-Adresse. Ändern Sie sie zuerst.',
    'The URL of {id} contains the email address. Change it first.',
  ],

  // Keys.
  [
    "A key's name is one line of 1 to {most} characters, none of them invisible.",
    'Der Name muss eine Zeile mit 1 bis {most} Zeichen sein, ohne unsichtbare Zeichen.',
    'The name must be one line of 1 to {most} characters, without invisible characters.',
  ],
  [
    'The API is not part of this plan.',
    'Ihr Tarif enthält keinen API-Zugang.',
    'Your plan does not include API access.',
  ],
  [
    'Only an active member can create keys.',
    'Nur aktive Mitglieder können Schlüssel anlegen.',
    'Only active members can create keys.',
  ],
  ['Only the owner and admins can create keys.', 'Nur der Inhaber und Admins können Schlüssel anlegen.'],
  [
    'Creating keys needs the right {right}.',
    'Zum Anlegen von Schlüsseln benötigen Sie eine Berechtigung des Inhabers.',
    'To create keys you need permission from the owner.',
  ],
  [
    'A team can create or rotate {most} keys within 24 hours.',
    'Ein Team kann innerhalb von 24 Stunden {most} Schlüssel anlegen oder rotieren.',
  ],
  [
    'A team can have at most {most} active keys. Revoke one that is no longer used.',
    'Ein Team kann höchstens {most} aktive Schlüssel haben. Widerrufen Sie einen nicht mehr verwendeten Schlüssel.',
    'A team can have at most {most} active keys. Revoke a key that is no longer used.',
  ],
  [
    'A key has either a template or scopes.',
    'Wählen Sie entweder eine Vorlage oder Berechtigungen.',
    'Select either a template or scopes.',
  ],
  ['A key can’t expire in the past.', 'Das Ablaufdatum liegt in der Vergangenheit.', 'The expiry date is in the past.'],
  ['A key needs at least one scope.', 'Wählen Sie mindestens eine Berechtigung aus.', 'Select at least one scope.'],
  ['There is no scope {scope}.', 'Die Berechtigung {scope} gibt es nicht.', 'The scope {scope} does not exist.'],
  [
    'A grace period lasts 0 to {most} days.',
    'Die Übergangsfrist kann 0 bis {most} Tage betragen.',
    'The grace period can be 0 to {most} days.',
  ],
  ['The key is no longer active.', 'Der Schlüssel ist nicht mehr aktiv.'],
  ['The key was already rotated.', 'Der Schlüssel wurde bereits rotiert.'],
  ['There is no key {id}.', 'Der Schlüssel existiert nicht.', 'The key does not exist.'],
  [
    'Neither addresses nor networks: {addresses}.',
    'Keine gültigen IP-Adressen oder Netze: {addresses}.',
    'Not valid IP addresses or networks: {addresses}.',
  ],
  [
    '{address} is neither an address nor a network.',
    '{address} ist keine gültige IP-Adresse und kein gültiges Netz.',
    '{address} is not a valid IP address or network.',
  ],

  // Assignments, cases, trainings and the catalog.
  ['member_id names no member of this team.', 'Das Mitglied gehört nicht zum Team.', 'The member is not in this team.'],
  ['user_id names no active member of this team.', 'Das Mitglied ist nicht aktiv.', 'The member is not active.'],
  [
    'The member has no such assignment.',
    'Die Aufgabe gehört nicht zu diesem Mitglied.',
    'The assignment does not belong to this member.',
  ],
  ['The assignment was revoked.', 'Die Aufgabe wurde zurückgezogen.', 'The assignment was withdrawn.'],
  [
    'There is no more room for private cases. Delete private cases, or share them with the team.',
    'Der Speicherplatz für private Fälle ist voll. Löschen Sie private Fälle, oder teilen Sie sie mit dem Team.',
    'The storage for private cases is full. Delete private cases, or share them with the team.',
  ],
  ['The team has no such active member.', 'Das Mitglied ist nicht aktiv.', 'The member is not active.'],
  [
    'A person can start {most} trainings within 24 hours.',
    'Eine Person kann innerhalb von 24 Stunden {most} Trainings starten.',
  ],
  ['The training was aborted.', 'Das Training wurde abgebrochen.', 'The training was canceled.'],
  ['The training has ended.', 'Das Training ist bereits abgeschlossen.', 'The training is already completed.'],
  ['The training is still running.', 'Das Training läuft noch.'],
  [
    'A training can not start in the future.',
    'Der Beginn darf nicht in der Zukunft liegen.',
    'The start can’t be in the future.',
  ],
  [
    'All texts of an evaluation together have at most {most} bytes.',
    'Alle Texte einer Bewertung dürfen zusammen höchstens {most} Bytes haben.',
  ],
  [
    'It must be the id of a methodology that is visible to the team and not blocked by its policy.',
    'Diese Methodik ist für das Team nicht freigegeben.',
    'This methodology is not allowed for the team.',
  ],
  [
    'A policy of the recipient blocks the {dimension}.',
    'Eine Vorgabe sperrt diese Auswahl für den Empfänger.',
    'A policy blocks this choice for the recipient.',
  ],
  [
    'The same item is both in block and in release.',
    'Ein Eintrag kann nicht zugleich gesperrt und freigegeben werden.',
    'An item can’t be blocked and allowed at the same time.',
  ],
  [
    'The same item is both in only and in never.',
    'Ein Eintrag kann nicht zugleich in „Nur mit“ und „Nie mit“ stehen.',
    'An item can’t be in both “Only with” and “Never with”.',
  ],
  [
    'An item can be ruled if its dimension is one of {dimensions}.',
    'Für Einträge dieser Dimension gibt es keine Regeln.',
    'Items of this dimension can’t have rules.',
  ],
  [
    'A situation has at most {most} rules of the team’s own.',
    'Eine Situation kann höchstens {most} eigene Regeln des Teams haben.',
    'A situation can have at most {most} rules of the team.',
  ],
  [
    'A team has at most {most} rules of its own.',
    'Ein Team kann höchstens {most} eigene Regeln haben.',
    'A team can have at most {most} rules.',
  ],
  [
    'A team has at most {most} items of its own in the dimension {dimension}.',
    'Ein Team kann in dieser Dimension höchstens {most} eigene Einträge haben.',
    'A team can have at most {most} items of its own in this dimension.',
  ],
  [
    'A team has at most {most} items of its own in all dimensions together.',
    'Ein Team kann insgesamt höchstens {most} eigene Einträge haben.',
    'A team can have at most {most} items of its own in total.',
  ],
  [
    'An item needs a name in at least one language.',
    'Geben Sie mindestens einen der beiden Namen ein.',
    'Enter at least one of the two names.',
  ],
  [
    'One of the two names is needed',
    'Geben Sie mindestens einen der beiden Namen ein.',
    'Enter at least one of the two names.',
  ],
  ['It is the name of an icon, like phone-call', 'Dieses Symbol gibt es nicht.', 'This icon does not exist.'],

  // Webhooks.
  ['The team has no such webhook endpoint.', 'Der Endpunkt existiert nicht.', 'The endpoint does not exist.'],
  ['The team has no such delivery.', 'Die Zustellung existiert nicht.', 'The delivery does not exist.'],
  [
    'The team has no such delivery, or it is no longer kept.',
    'Die Zustellung existiert nicht oder wurde bereits gelöscht.',
    'The delivery does not exist or was already deleted.',
  ],
  [
    'The team has no such event, or it is no longer kept.',
    'Das Ereignis existiert nicht oder wurde bereits gelöscht.',
    'The event does not exist or was already deleted.',
  ],
  [
    'A team has at most {most} webhook endpoints: delete one that is no longer used.',
    'Ein Team kann höchstens {most} Endpunkte haben. Löschen Sie einen nicht mehr verwendeten Endpunkt.',
    'A team can have at most {most} endpoints. Delete an endpoint that is no longer used.',
  ],
  [
    'It can be set to active or disabled.',
    'Ein Endpunkt kann nur aktiviert oder deaktiviert werden.',
    'An endpoint can only be activated or disabled.',
  ],
  ['It was delivered already.', 'Die Zustellung war bereits erfolgreich.', 'The delivery has already succeeded.'],
  ['It waits to be sent already.', 'Die Zustellung ist bereits ausstehend.', 'The delivery is already pending.'],
  ['An attempt is being made right now.', 'Gerade läuft ein Versuch.', 'An attempt is in progress.'],
  [
    'The endpoint is not active: reactivate it first.',
    'Der Endpunkt ist nicht aktiv. Aktivieren Sie ihn zuerst.',
    'The endpoint is not active. Reactivate it first.',
  ],
  [
    'A ping comes from an endpoint’s test alone.',
    'Testereignisse können nicht als neue Zustellung gesendet werden.',
    'Test events can’t be replayed.',
  ],
  [
    'An endpoint can be tested, retried and replayed to {most} times an hour; recovering what it missed counts once.',
    'Pro Endpunkt sind {most} manuelle Zustellungen pro Stunde möglich.',
    'Each endpoint can have {most} manual deliveries per hour.',
  ],
  [
    'All endpoints of a team together can be tested, retried and replayed to {most} times an hour.',
    'Pro Team sind {most} manuelle Zustellungen pro Stunde möglich.',
    'Each team can have {most} manual deliveries per hour.',
  ],
  [
    'All endpoints of a team together can recover {most} deliveries within 24 hours.',
    'Ein Team kann innerhalb von 24 Stunden {most} Zustellungen nachholen.',
    'A team can recover {most} deliveries within 24 hours.',
  ],
  [
    'A team can check its receivers {most} times an hour.',
    'Ein Team kann seine Empfänger {most}-mal pro Stunde prüfen.',
    'A team can check its receivers {most} times per hour.',
  ],
  [
    'The receiver of this endpoint is being checked right now.',
    'Für diesen Endpunkt läuft bereits eine Prüfung.',
    'A check of this endpoint is already running.',
  ],
  [
    'At most {most} requests of a team can wait for events at once.',
    'Höchstens {most} Anfragen eines Teams können gleichzeitig auf Ereignisse warten.',
  ],

  // Targets to which the service may not send.
  ['This is not a valid URL.', 'Das ist keine gültige URL.'],
  ['The URL must begin with https://.', 'Die URL muss mit https:// beginnen.'],
  [
    'The URL must not carry a user name or a password.',
    'Die URL darf keinen Benutzernamen und kein Passwort enthalten.',
    'The URL must not contain a user name or password.',
  ],
  [
    'The URL must not be longer than {most} characters.',
    'Die URL darf höchstens {most} Zeichen lang sein.',
    'The URL can have at most {most} characters.',
  ],
  [
    'Port {port} is not allowed: use 443 or one from 1024 up.',
    'Port {port} ist nicht erlaubt. Verwenden Sie Port 443 oder einen Port ab 1024.',
    'Port {port} is not allowed. Use port 443, or a port from 1024.',
  ],
  [
    'Port {port} is not allowed: services of another kind use it.',
    'Port {port} ist nicht erlaubt, weil er für andere Dienste reserviert ist.',
    'Port {port} is not allowed because it is reserved for other services.',
  ],
  [
    'The URL has no valid host name.',
    'Die URL enthält keinen gültigen Hostnamen.',
    'The URL contains no valid host name.',
  ],
  [
    'Webhooks are sent to public hosts only, and {host} is a name of private networks.',
    'Webhooks werden nur an öffentliche Hosts gesendet. {host} ist ein Name aus privaten Netzen.',
    'Webhooks are sent to public hosts only. {host} is a name of private networks.',
  ],
  [
    'The URL leads to this service itself.',
    'Die URL verweist auf diesen Dienst selbst.',
    'The URL points to this service itself.',
  ],
  ['The address {address} is not public.', 'Die Adresse {address} ist nicht öffentlich.'],
  [
    'The address {address} is the service’s own.',
    'Die Adresse {address} gehört zu diesem Dienst.',
    'The address {address} belongs to this service.',
  ],
  [
    'The host name leads to an address that is not public.',
    'Der Hostname verweist auf eine nicht öffentliche Adresse.',
    'The host name points to an address that is not public.',
  ],
  [
    'The host name leads to an address that is the service’s own.',
    'Der Hostname verweist auf diesen Dienst selbst.',
    'The host name points to this service itself.',
  ],
  [
    'The host name can’t be found in the DNS.',
    'Der Hostname wurde im DNS nicht gefunden.',
    'The host name was not found in the DNS.',
  ],
  [
    'The look-up of the host name in the DNS failed.',
    'Die DNS-Abfrage des Hostnamens ist fehlgeschlagen.',
    'The DNS lookup of the host name failed.',
  ],
  [
    'The look-up of the host name could not begin in time: those of other names took too long.',
    'Die DNS-Abfrage des Hostnamens konnte nicht rechtzeitig beginnen.',
    'The DNS lookup of the host name could not start in time.',
  ],
  [
    'The last look-up of the host name took too long: for {time} there is no other.',
    'Die letzte DNS-Abfrage des Hostnamens hat zu lange gedauert.',
    'The last DNS lookup of the host name took too long.',
  ],

  // Why an attempt failed.
  ['endpoint paused', 'Der Endpunkt wurde vor der Zustellung pausiert.', 'The endpoint was paused before delivery.'],
  [
    'too many waiting',
    'Zu viele ausstehende Zustellungen im Team: Die ältesten wurden abgebrochen. Sie können das Ereignis nachholen.',
    'Too many pending deliveries in the team: the oldest were canceled. You can recover the event.',
  ],
  ['The event is no longer kept.', 'Das Ereignis wurde bereits gelöscht.', 'The event was already deleted.'],
  [
    'The message could not be made; we look into it.',
    'Die Nachricht konnte nicht erstellt werden. Wir untersuchen das Problem.',
    'The message could not be created. We are investigating.',
  ],
  [
    'The service is stopping.',
    'Der Dienst wurde während des Versuchs beendet.',
    'The service was stopped during the attempt.',
  ],
  ['The service was stopped during the attempt.', 'Der Dienst wurde während des Versuchs beendet.'],
  ['There is no answer.', 'Keine Antwort.', 'No response.'],
  [
    'The answer is larger than {most} MiB.',
    'Die Antwort ist größer als {most} MiB.',
    'The response is larger than {most} MiB.',
  ],
  [
    'The headers of the answer are larger than 16 KiB.',
    'Die Header der Antwort sind größer als 16 KiB.',
    'The response headers are larger than 16 KiB.',
  ],
  [
    'The answer does not fit its Content-Length.',
    'Die Antwort passt nicht zu ihrer Content-Length.',
    'The response does not match its Content-Length.',
  ],
  [
    'The answer is not valid HTTP/1.1.',
    'Die Antwort ist kein gültiges HTTP/1.1.',
    'The response is not valid HTTP/1.1.',
  ],
  [
    'The receiver sent too many interim answers.',
    'Der Empfänger hat zu viele Zwischenantworten gesendet.',
    'The receiver sent too many interim responses.',
  ],
  [
    'The receiver refused the connection.',
    'Der Empfänger hat die Verbindung abgelehnt.',
    'The receiver rejected the connection.',
  ],
  [
    'The receiver closed the connection before its answer was complete.',
    'Der Empfänger hat die Verbindung geschlossen, bevor die Antwort vollständig war.',
    'The receiver closed the connection before the response was complete.',
  ],
  ['The receiver’s address can’t be reached.', 'Die Adresse des Empfängers ist nicht erreichbar.'],
  ['The request to the receiver failed.', 'Die Anfrage an den Empfänger ist fehlgeschlagen.'],
  [
    'The connection through the service’s outgoing proxy failed: {why}.',
    'Die Verbindung über den Proxy des Dienstes ist fehlgeschlagen: {why}.',
    'The connection through the service’s proxy failed: {why}.',
  ],
  [
    'The receiver accepted no connection in time.',
    'Der Empfänger hat die Verbindung nicht rechtzeitig angenommen.',
    'The receiver did not accept the connection in time.',
  ],
  [
    'The receiver did not finish the TLS handshake in time.',
    'Der Empfänger hat den TLS-Handshake nicht rechtzeitig abgeschlossen.',
  ],
  [
    'The receiver closed the connection during the TLS handshake.',
    'Der Empfänger hat die Verbindung während des TLS-Handshakes geschlossen.',
  ],
  ['The TLS handshake failed.', 'Der TLS-Handshake ist fehlgeschlagen.'],
  ['The TLS handshake failed: {reason}.', 'Der TLS-Handshake ist fehlgeschlagen: {reason}.'],
  ['The receiver’s certificate has expired.', 'Das Zertifikat des Empfängers ist abgelaufen.'],
  ['The receiver’s certificate is not valid yet.', 'Das Zertifikat des Empfängers ist noch nicht gültig.'],
  ['The receiver’s certificate was revoked.', 'Das Zertifikat des Empfängers wurde widerrufen.'],
  ['The receiver’s certificate is not for this host.', 'Das Zertifikat des Empfängers gilt nicht für diesen Host.'],
  ['The receiver’s certificate is not for servers.', 'Das Zertifikat des Empfängers gilt nicht für Server.'],
  [
    'The receiver’s certificate is signed by itself, not by a known authority.',
    'Das Zertifikat des Empfängers ist selbst signiert.',
    'The receiver’s certificate is self-signed.',
  ],
  [
    'The receiver’s certificate comes from an unknown authority.',
    'Das Zertifikat des Empfängers stammt von keiner bekannten Zertifizierungsstelle.',
    'The receiver’s certificate was issued by an unknown authority.',
  ],
  [
    'The receiver’s certificate comes with an incomplete chain or from an unknown authority.',
    'Die Zertifikatskette des Empfängers ist unvollständig oder stammt von keiner bekannten Zertifizierungsstelle.',
    'The receiver’s certificate chain is incomplete or from an unknown authority.',
  ],
  [
    'The look-up of the host name took longer than {time}.',
    'Die DNS-Abfrage des Hostnamens hat zu lange gedauert ({time}).',
    'The DNS lookup of the host name took longer than {time}.',
  ],
  [
    'There was no connection to the receiver within {time}.',
    'Keine Verbindung zum Empfänger innerhalb von {time}.',
    'No connection to the receiver within {time}.',
  ],
  [
    'The receiver did not answer within {time}.',
    'Der Empfänger hat nicht innerhalb von {time} geantwortet.',
    'The receiver did not respond within {time}.',
  ],
  [
    'The answer was not complete within {time}.',
    'Die Antwort war nicht innerhalb von {time} vollständig.',
    'The response was not complete within {time}.',
  ],

  // CRM connections.
  [
    'The CRM refused the stored sign-in.',
    'Das CRM hat die gespeicherten Zugangsdaten abgelehnt.',
    'The CRM rejected the stored credentials.',
  ],
  ['The team has no such CRM connection.', 'Die Verbindung existiert nicht.', 'The connection does not exist.'],
  [
    'The team has a connection to this feed already.',
    'Ihr Team ist bereits mit diesem Feed verbunden.',
    'Your team is already connected to this feed.',
  ],
  [
    'Objections come from a property or from notes, not from both.',
    'Einwände können aus einer Eigenschaft oder aus Notizen stammen, nicht aus beidem.',
    'Objections can come from a property or from notes, not from both.',
  ],
  ['Only a feed has an address.', 'Nur ein Feed hat eine URL.', 'Only a feed has a URL.'],
  // Passkeys, and the proof that sensitive changes need.
  ['A proof is either a password or a passkey.', 'Bitte verwenden Sie entweder Ihr Passwort oder einen Passkey.'],
  ['The passkey was not accepted.', 'Der Passkey wurde nicht akzeptiert.'],
  [
    'A person has at most {most} passkeys.',
    'Sie können höchstens {most} Passkeys haben.',
    'You can have at most {most} passkeys.',
  ],
  ['This passkey is known already.', 'Dieser Passkey ist bereits hinzugefügt.', 'This passkey has already been added.'],
  [
    'This needs a fresh password or passkey.',
    'Bitte bestätigen Sie diese Änderung mit Ihrem Passwort oder einem Passkey.',
    'Please confirm this change with your password or a passkey.',
  ],
  // The request log, the page of a member, and files of lists.
  [
    'The log has no such request, or it is no longer kept.',
    'Die Anfrage ist nicht im Protokoll oder wird nicht mehr aufbewahrt.',
  ],
  ['The member has not accepted the invitation yet.', 'Das Mitglied hat die Einladung noch nicht angenommen.'],
  [
    '{list} has too many rows to be sorted.',
    'Die Liste hat zu viele Einträge zum Sortieren.',
    'The list has too many rows to be sorted.',
  ],
  ['The list has no such column.', 'Die Liste hat keine solche Spalte.'],
  ['The input is a JSON object.', 'Die Eingabe muss ein JSON-Objekt sein.', 'The input must be a JSON object.'],
];

const slot = /\{(\w+)\}/g;

interface Known {
  pattern: RegExp;
  names: readonly string[];
  de: string;
  en: string;
}

let known: readonly Known[] | undefined;

/** Built at the first use, because most people never see an error. */
const knownSentences = (): readonly Known[] =>
  (known ??= sentences.map(([server, de, en = server]) => ({
    pattern: new RegExp(`^${server.replaceAll(/[.*+?^$()|[\]\\/]/g, '\\$&').replaceAll(slot, '(.+?)')}$`, 's'),
    names: [...server.matchAll(slot)].map(([, name = '']) => name),
    de,
    en,
  })));

/** `30 seconds` in German. The server writes durations in English. */
const inGerman = (text: string): string =>
  text.replace(/^([\d.]+) seconds?$/, (_all, count: string) =>
    count === '1' ? '1 Sekunde' : `${count.replace('.', ',')} Sekunden`,
  );

/** The texts of a server's sentence in both languages; undefined if it is not in the list above. */
export const wordsFor = (sentence: string): Texts | undefined => {
  for (const { pattern, names, de, en } of knownSentences()) {
    const found = pattern.exec(sentence);
    if (found) {
      const valueOf = (name: string): string => found[names.indexOf(name) + 1] ?? '';
      return {
        de: de.replaceAll(slot, (_all, name: string) => inGerman(valueOf(name))),
        en: en.replaceAll(slot, (_all, name: string) => valueOf(name)),
      };
    }
  }
  return undefined;
};
