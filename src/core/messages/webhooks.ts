/** Endpoints and deliveries, as people manage them. */
export const webhookMessages = {
  noEndpoint: { de: 'Der Endpunkt existiert nicht.', en: 'The endpoint does not exist.' },
  noDelivery: { de: 'Die Zustellung existiert nicht.', en: 'The delivery does not exist.' },
  deliveryGone: {
    de: 'Die Zustellung existiert nicht oder wurde bereits gelöscht.',
    en: 'The delivery does not exist or was already deleted.',
  },
  eventGone: {
    de: 'Das Ereignis existiert nicht oder wurde bereits gelöscht.',
    en: 'The event does not exist or was already deleted.',
  },
  maxEndpoints: (max: number) => ({
    de: `Ein Team kann höchstens ${max} Endpunkte haben. Löschen Sie einen nicht mehr verwendeten Endpunkt.`,
    en: `A team can have at most ${max} endpoints. Delete an endpoint that is no longer used.`,
  }),
  headers: (max: number) => ({
    de: `Ein Endpunkt kann höchstens ${max} eigene Header haben.`,
    en: `An endpoint can have at most ${max} headers of its own.`,
  }),
  headerName: (max: number) => ({
    de: `Der Name eines Headers hat bis zu ${max} Zeichen: Buchstaben, Ziffern und Bindestriche, mit einem Buchstaben oder einer Ziffer am Anfang.`,
    en: `The name of a header has up to ${max} characters: letters, digits and hyphens, with a letter or digit first.`,
  }),
  headerValue: {
    de: 'Der Wert eines Headers hat sichtbare ASCII-Zeichen, dazwischen auch Leerzeichen.',
    en: 'The value of a header has visible ASCII characters, and spaces between them.',
  },
  reservedHeader: (name: string) => ({
    de: `Der Header ${name} ist für HTTP oder die Signatur reserviert.`,
    en: `The header ${name} is reserved for HTTP or the signature.`,
  }),
  sameHeader: (name: string) => ({
    de: `Der Header ${name} ist doppelt. Groß- und Kleinschreibung spielt keine Rolle.`,
    en: `The header ${name} is there twice. Names are compared without case.`,
  }),
  headersOfFormerUrl: {
    de: 'Die eigenen Header gehören zur bisherigen URL. Geben Sie sie für die neue erneut ein oder entfernen Sie sie.',
    en: 'The endpoint’s own headers belong to the former URL. Enter them again for the new one, or remove them.',
    api: 'The headers belong to the former URL. Send them again with the new one, or null to remove them.',
  },
  status: {
    de: 'Ein Endpunkt kann nur aktiviert oder deaktiviert werden.',
    en: 'An endpoint can only be activated or disabled.',
    api: 'It can be set to active or disabled.',
  },
  alreadyDelivered: {
    de: 'Die Zustellung war bereits erfolgreich.',
    en: 'The delivery has already succeeded.',
  },
  alreadyPending: { de: 'Die Zustellung ist bereits ausstehend.', en: 'The delivery is already pending.' },
  attemptRunning: { de: 'Gerade läuft ein Versuch.', en: 'An attempt is in progress.' },
  endpointNotActive: {
    de: 'Der Endpunkt ist nicht aktiv. Aktivieren Sie ihn zuerst.',
    en: 'The endpoint is not active. Reactivate it first.',
  },
  pingNotReplayed: {
    de: 'Testereignisse können nicht als neue Zustellung gesendet werden.',
    en: 'Test events can’t be replayed.',
  },
  aboutItself: {
    de: 'Das Ereignis betrifft diesen Endpunkt selbst und wird nur an andere gesendet.',
    en: 'The event is about this endpoint itself and is sent to others only.',
  },
  byHandOfEndpoint: (max: number) => ({
    de: `Pro Endpunkt sind ${max} manuelle Zustellungen pro Stunde möglich.`,
    en: `Each endpoint can have ${max} manual deliveries per hour.`,
  }),
  byHandOfTeam: (max: number) => ({
    de: `Pro Team sind ${max} manuelle Zustellungen pro Stunde möglich.`,
    en: `Each team can have ${max} manual deliveries per hour.`,
  }),
  recovered: (max: number) => ({
    de: `Ein Team kann innerhalb von 24 Stunden ${max} Zustellungen nachholen.`,
    en: `A team can recover ${max} deliveries within 24 hours.`,
  }),
  checks: (max: number) => ({
    de: `Ein Team kann seine Empfänger ${max}-mal pro Stunde prüfen.`,
    en: `A team can check its receivers ${max} times per hour.`,
  }),
  checkRunning: {
    de: 'Für diesen Endpunkt läuft bereits eine Prüfung.',
    en: 'A check of this endpoint is already running.',
  },
  waitingForEvents: (max: number) => ({
    de: `Höchstens ${max} Anfragen eines Teams können gleichzeitig auf Ereignisse warten.`,
    en: `At most ${max} requests of a team can wait for events at once.`,
  }),
} as const;
