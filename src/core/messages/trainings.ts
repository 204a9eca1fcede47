/** The catalog, cases, assignments, trainings and their deletions. */
export const trainingMessages = {
  deletionsGone: (days: number) => ({
    de: `Löschungen werden ${days} Tage aufbewahrt; dieser Zeitpunkt liegt weiter zurück. Kopieren Sie die Liste neu, und lesen Sie von da an.`,
    en: `Deletions are kept for ${days} days, and this time is earlier. Copy the list anew, and read on from there.`,
  }),
  assignmentOfOther: {
    de: 'Die Aufgabe gehört nicht zu diesem Mitglied.',
    en: 'The assignment does not belong to this member.',
  },
  assignmentRevoked: { de: 'Die Aufgabe wurde zurückgezogen.', en: 'The assignment was withdrawn.' },
  privateCasesFull: {
    de: 'Der Speicherplatz für private Fälle ist voll. Löschen Sie private Fälle, oder teilen Sie sie mit dem Team.',
    en: 'The storage for private cases is full. Delete private cases, or share them with the team.',
  },
  aborted: { de: 'Das Training wurde abgebrochen.', en: 'The training was canceled.' },
  ended: { de: 'Das Training ist bereits abgeschlossen.', en: 'The training is already completed.' },
  running: { de: 'Das Training läuft noch.', en: 'The training is still running.' },
  evaluationTooLarge: (max: number) => ({
    de: `Alle Texte einer Bewertung dürfen zusammen höchstens ${max} Bytes haben.`,
    en: `All texts of an evaluation together can have at most ${max} bytes.`,
  }),
  referenceTooLarge: (max: number) => ({ de: `Höchstens ${max} Bytes.`, en: `At most ${max} bytes.` }),
  onlyEvaluation: {
    de: 'Zu einem Training kann nur die Bewertung mitgelesen werden.',
    en: 'Only the evaluation of a training can be included.',
    api: 'Only `evaluation` can be included.',
  },
  untilBeforeSince: {
    de: 'Das Ende liegt vor dem Anfang.',
    en: 'The end is before the beginning.',
    api: '`until` is before `since`.',
  },
  methodology: {
    de: 'Diese Methodik ist für das Team nicht freigegeben.',
    en: 'This methodology is not allowed for the team.',
  },
  blocked: (dimension: string) => ({
    de: 'Diese Auswahl ist für den Empfänger gesperrt.',
    en: 'A policy blocks this choice for the recipient.',
    api: `A policy of the recipient blocks the ${dimension}.`,
  }),
} as const;

export const catalogMessages = {
  blockedAndReleased: {
    de: 'Ein Eintrag kann nicht zugleich gesperrt und freigegeben werden.',
    en: 'An item can’t be blocked and allowed at the same time.',
  },
  onlyAndNever: {
    de: 'Ein Eintrag kann nicht zugleich in „Nur mit“ und „Nie mit“ stehen.',
    en: 'An item can’t be in both “Only with” and “Never with”.',
  },
  notRuled: {
    de: 'Für Einträge dieser Dimension gibt es keine Regeln.',
    en: 'Items of this dimension can’t have rules.',
  },
  rules: (max: number) => ({
    de: `Ein Team kann höchstens ${max} eigene Regeln haben.`,
    en: `A team can have at most ${max} rules.`,
  }),
  items: (max: number) => ({
    de: `Ein Team kann höchstens ${max} eigene Einträge haben.`,
    en: `A team can have at most ${max} items of its own.`,
  }),
  nameNeeded: {
    de: 'Geben Sie mindestens einen der beiden Namen ein.',
    en: 'Enter at least one of the two names.',
  },
  noIcon: { de: 'Dieses Symbol gibt es nicht.', en: 'This icon does not exist.' },
} as const;
