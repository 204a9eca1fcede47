import { z } from 'zod';
import { secondsUntil } from './clock.ts';
import { forDevelopers, type Language, type Texts, type Message } from './language.ts';
import { allScopes, type Scope } from './scopes.ts';

interface ProblemDescription {
  status: number;
  title: Texts;
  /** When the error happens and what to do about it, for the page to which the `type` of every problem links. */
  advice: Texts;
}

/** All errors of the API. Answers, the OpenAPI document, the error page and the tests use this list. */
export const problems = {
  bad_request: {
    status: 400,
    title: { de: 'Anfrage nicht verstanden', en: 'Request not understood' },
    advice: {
      de: 'Die Anfrage ließ sich nicht lesen: falscher Medientyp (415), zu großer Inhalt (413), kein gültiges HTTP (400, 408, 431). Der HTTP-Status sagt, was davon zutrifft.',
      en: 'The request could not be read: wrong media type (415), body too large (413), not valid HTTP (400, 408, 431). See the HTTP status.',
    },
  },
  unauthorized: {
    status: 401,
    title: { de: 'Schlüssel fehlt oder gilt nicht', en: 'Key missing or not valid' },
    advice: {
      de: 'Der Schlüssel fehlt, ist unbekannt, falsch geschrieben, abgelaufen oder widerrufen, oder die Adresse des Aufrufers ist für ihn nicht freigegeben. Senden Sie „Authorization: Bearer svck_live_…“ und prüfen Sie den Schlüssel in der App.',
      en: 'The key is missing, unknown, malformed, expired or revoked, or the caller’s address is not allowed for it. Send “Authorization: Bearer svck_live_…” and look at the key in the app.',
    },
  },
  insufficient_scope: {
    status: 403,
    title: { de: 'Berechtigung des Schlüssels reicht nicht', en: 'The key lacks a scope' },
    advice: {
      de: '„required_scope“ nennt die fehlende Berechtigung. Berechtigungen stehen beim Anlegen fest: legen Sie einen neuen Schlüssel an.',
      en: '“required_scope” names what is missing. Scopes are fixed when a key is made: make a new key.',
    },
  },
  privacy_restricted: {
    status: 403,
    title: { de: 'Durch den Datenschutz des Teams gesperrt', en: 'Restricted by the team’s privacy settings' },
    advice: {
      de: 'Das Team hat personenbezogene Daten ausgeblendet. „GET /me“ zeigt den Schalter; zusammengefasste Zahlen liefert „GET /analytics/team“.',
      en: 'The team has switched off details about individual people. “GET /me” shows the switch; “GET /analytics/team” has aggregated figures.',
    },
  },
  api_disabled: {
    status: 403,
    title: { de: 'API für dieses Team abgeschaltet', en: 'API disabled for this team' },
    advice: {
      de: 'Das Team ist gesperrt oder beendet, oder sein Tarif enthält die API nicht. Wenden Sie sich an die Inhaberin oder den Inhaber des Teams.',
      en: 'The team is suspended or ended, or its plan does not include the API. Talk to the team’s owner.',
    },
  },
  vorgabe_gesperrt: {
    status: 403,
    title: { de: 'Nicht freigegeben', en: 'Blocked by a policy' },
    advice: {
      de: 'Die Situation, die Persönlichkeit oder die Branche ist für den Empfänger gesperrt. „GET /catalog“ zeigt, was freigegeben ist.',
      en: 'A policy of the recipient blocks the situation, personality or industry. “GET /catalog” shows what is released.',
    },
  },
  not_found: {
    status: 404,
    title: { de: 'Nicht gefunden', en: 'Not found' },
    advice: {
      de: 'Es gibt hier nichts unter diesem Pfad oder dieser ID, jedenfalls nicht in Ihrem Team.',
      en: 'There is nothing under this path or id, at least not in your team.',
    },
  },
  conflict: {
    status: 409,
    title: { de: 'Steht im Widerspruch zum Bestand', en: 'Conflict' },
    advice: {
      de: 'Die E-Mail-Adresse oder die „external_id“ gehört schon zu einem Mitglied, oder ein Aufruf mit demselben Idempotency-Key oder eine Prüfung desselben Endpunkts läuft noch. Hat die Antwort einen Header „Retry-After“, versuchen Sie es nach diesen Sekunden noch einmal.',
      en: 'The email address or the “external_id” already belongs to a member, or a call with the same Idempotency-Key or a check of the same endpoint is still running. If the response has the header “Retry-After”, try again after these seconds.',
    },
  },
  seat_limit_reached: {
    status: 409,
    title: { de: 'Alle Plätze sind belegt', en: 'All seats are taken' },
    advice: {
      de: 'Inhaber, aktive und eingeladene Mitglieder belegen je einen Platz. Entfernen Sie jemanden oder erweitern Sie den Tarif.',
      en: 'The owner, active and invited members take a seat each. Remove somebody or extend the plan.',
    },
  },
  last_admin: {
    status: 409,
    title: { de: 'Letzter aktiver Admin', en: 'The last active admin' },
    advice: {
      de: 'Das Team hätte keinen aktiven Admin mehr. Machen Sie zuerst ein anderes Mitglied zum Admin.',
      en: 'The team would be left without an active admin. Make another member an admin first.',
    },
  },
  owner: {
    status: 409,
    title: { de: 'Inhaber des Teams', en: 'The team’s owner' },
    advice: {
      de: 'Inhaberin oder Inhaber lassen sich über die API weder ändern noch entfernen. Die Übergabe geschieht in der App.',
      en: 'The owner can be neither changed nor removed through the API. Ownership is handed over in the app.',
    },
  },
  validation_error: {
    status: 422,
    title: { de: 'Ungültige Werte', en: 'Invalid values' },
    advice: {
      de: '„errors“ nennt jede Stelle, die nicht stimmt; „field“ das eine Feld, an dem eine Regel scheiterte. Unbekannte Parameter und Felder werden abgelehnt.',
      en: '“errors” lists every place that is wrong; “field” names the one field that a rule refused. Unknown parameters and fields are refused.',
    },
  },
  idempotency_mismatch: {
    status: 422,
    title: { de: 'Idempotency-Key schon anders benutzt', en: 'Idempotency-Key already used differently' },
    advice: {
      de: 'Derselbe Idempotency-Key kam in den letzten 24 Stunden mit einer anderen Anfrage. Nehmen Sie für jede neue Handlung einen neuen.',
      en: 'The same Idempotency-Key came with another request within 24 hours. Use a new one for each new action.',
    },
  },
  kombination_ungueltig: {
    status: 422,
    title: { de: 'Kombination nicht möglich', en: 'Combination not possible' },
    advice: {
      de: 'Situation, Persönlichkeit oder Branche ist unbekannt, für das Team nicht sichtbar, oder die Regeln des Katalogs schließen die Kombination aus. „dimension“ und „id“ sagen, woran es liegt.',
      en: 'A situation, personality or industry is unknown, not visible to the team, or the catalog’s rules exclude the combination. “dimension” and “id” name it.',
    },
  },
  rate_limited: {
    status: 429,
    title: { de: 'Zu viele Anfragen', en: 'Too many requests' },
    advice: {
      de: 'Warten Sie die Sekunden in „Retry-After“ ab. Die Header „RateLimit-…“ zeigen, was noch übrig ist.',
      en: 'Wait for the seconds in “Retry-After”. The “RateLimit-…” headers show what is left.',
    },
  },
  internal: {
    status: 500,
    title: { de: 'Unerwarteter Fehler', en: 'Unexpected error' },
    advice: {
      de: 'Der Fehler liegt bei uns. Nennen Sie dem Support die „request_id“.',
      en: 'The fault is ours. Give support the “request_id”.',
    },
  },
  unavailable: {
    status: 503,
    title: { de: 'Vorübergehend nicht verfügbar', en: 'Temporarily unavailable' },
    advice: {
      de: 'Versuchen Sie es nach den in „Retry-After“ genannten Sekunden noch einmal, einen POST mit demselben Idempotency-Key.',
      en: 'Try again after the seconds in “Retry-After”; a POST with the same Idempotency-Key.',
    },
  },
} as const satisfies Record<string, ProblemDescription>;

export type ProblemCode = keyof typeof problems;

const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(problems, text);

export const problemCodes: readonly ProblemCode[] = Object.keys(problems).filter(isProblemCode);

/** Errors that every operation can answer with. */
export const commonProblems = [
  'unauthorized',
  'api_disabled',
  'validation_error',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ProblemCode[];

/** One invalid value in a request. */
export const Flaw = z.object({
  path: z
    .array(z.union([z.string(), z.int()]))
    .meta({ description: 'The place in the request: keys and indexes from the outside in.' }),
  in: z
    .enum(['query', 'path', 'body'])
    .optional()
    .meta({ description: 'The part of the request that `path` leads into: `query`, `path` or `body`.' }),
  code: z.string().meta({ description: 'Which rule was broken.' }),
  message: z.string().meta({ description: 'A sentence for the developer.' }),
});
export type Flaw = z.output<typeof Flaw>;

/** The members of a problem besides its code. */
export const ProblemMembers = z.object({
  detail: z.string().optional().meta({ description: 'English diagnostic; only on some 4xx.' }),
  errors: z
    .array(Flaw)
    .optional()
    .meta({ description: 'Only with `validation_error` raised while the request was read.' }),
  field: z.string().optional().meta({ description: 'Only with `validation_error` raised by a rule: the field.' }),
  dimension: z.string().optional().meta({ description: 'Only with `kombination_ungueltig`: the catalog dimension.' }),
  id: z.string().optional().meta({ description: 'Only with `kombination_ungueltig`: the unknown or invisible id.' }),
  required_scope: z.enum(allScopes).optional().meta({ description: 'Only with `insufficient_scope`.' }),
  retry_after: z.int().optional().meta({ description: 'Seconds; only with `rate_limited`.' }),
});
export type ProblemMembers = z.output<typeof ProblemMembers>;

/** A flaw whose message has both languages. */
export interface SpokenFlaw extends Omit<Flaw, 'message'> {
  message: Message;
}

/** The members of a problem, with texts in both languages. */
export interface SpokenMembers extends Omit<ProblemMembers, 'detail' | 'errors'> {
  detail?: Message | undefined;
  errors?: readonly SpokenFlaw[] | undefined;
}

/** The members that only some problems have. */
interface ExtrasByCode {
  insufficient_scope: { required_scope: Scope; detail: Message };
  rate_limited: { retry_after: number };
  validation_error: { errors: readonly SpokenFlaw[] } | { field: string; detail: Message };
  kombination_ungueltig: { dimension: string; id?: string };
  conflict: { isRunning?: boolean };
  bad_request: { status: number };
}

type NoExtras = Record<never, never>;
type ProblemExtras<C extends ProblemCode> = (C extends keyof ExtrasByCode ? ExtrasByCode[C] : NoExtras) & {
  detail?: Message | undefined;
};

const worded = (
  { detail, errors, ...members }: SpokenMembers,
  wordsOf: (message: Message) => string,
): ProblemMembers => ({
  ...members,
  ...(detail && { detail: wordsOf(detail) }),
  ...(errors && { errors: errors.map((flaw) => ({ ...flaw, message: wordsOf(flaw.message) })) }),
});

/** An error that the contract describes and the client receives. Every other exception is a bug. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  /** The members for developers. */
  readonly members: ProblemMembers;
  readonly spoken: SpokenMembers;
  /** Whether something that ends by itself prevents the request now, so that the same request may soon succeed. */
  readonly isRunning: boolean;

  constructor(
    code: ProblemCode,
    { status, isRunning = false, ...spoken }: SpokenMembers & { status?: number; isRunning?: boolean } = {},
  ) {
    super(spoken.detail ? forDevelopers(spoken.detail) : code);
    this.code = code;
    this.status = status ?? problems[code].status;
    this.members = worded(spoken, forDevelopers);
    this.spoken = spoken;
    this.isRunning = isRunning;
  }

  /** The members for a person. */
  membersIn(language: Language): ProblemMembers {
    return worded(this.spoken, (message) => message[language]);
  }
}

type FailArguments<C extends ProblemCode> =
  NoExtras extends ProblemExtras<C> ? [extras?: ProblemExtras<C>] : [extras: ProblemExtras<C>];

/** Ends the operation with an error of `problems`. */
export function fail<C extends ProblemCode>(code: C, ...[extras]: FailArguments<C>): never {
  throw new Problem(code, extras);
}

/** Refuses an action that was done too often, until its budget starts again. */
export function failUntil(end: Date, now: Date, detail: Message): never {
  fail('rate_limited', { retry_after: secondsUntil(end, now), detail });
}
