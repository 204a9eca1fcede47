import { minutesToMs } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { Texts } from '../../core/language.ts';
import { webhookLimits } from '../../core/limits.ts';
import type { Message } from '../../webhooks/egress/egress.ts';
import { bodyOf, headersOf, newSecret, publicEventId } from '../../webhooks/message.ts';

// The requests of a check-up: what each sends, what a good receiver does with it, and what to say if it does something else. All are marked
// with the header Svc-Check, and none says that anything happened: their type is `ping`, or one that no receiver knows.

/** In the order in which they are sent. */
export const probeNames = [
  'valid',
  'duplicate',
  'unknown_type',
  'large',
  'slow',
  'tampered',
  'stale',
  'wrong_secret',
] as const;
export type ProbeName = (typeof probeNames)[number];
export const isProbeName = (text: string): text is ProbeName => probeNames.some((name) => name === text);

/** The name of the job that sends them. */
export const checkTask = 'check_receiver';

export type Expected = 'accepted' | 'refused';

interface Probe {
  readonly expected: Expected;
  /** What to do if the receiver accepts what it has to refuse, or refuses what it has to accept. */
  readonly advice: Texts;
  /** The page and section of the documentation that explain it. The anchor is the same in every language. */
  readonly section: string;
}

const { bodyBytes, signatureAgeSeconds, slowAfterSeconds, timeoutSeconds } = webhookLimits;

const signatureRules = 'webhook-signatures#the-rules';
const answering = 'webhooks#answering';

/** How a slow connection sends the body. */
export const trickle = { ms: 2_000, pieces: 8 };
/** How old the signature of `stale` is. */
export const staleMinutes = 10;

export const probes: Readonly<Record<ProbeName, Probe>> = {
  valid: {
    expected: 'accepted',
    advice: {
      de: 'Ihr Server weist eine gültige Zustellung ab. Prüfen Sie das Geheimnis dieses Endpunkts, und berechnen Sie die Signatur über den unveränderten Body.',
      en: 'Your server refuses a valid delivery. Check the secret of this endpoint, and compute the signature over the raw body.',
    },
    section: signatureRules,
  },
  duplicate: {
    expected: 'accepted',
    advice: {
      de: 'Ihr Server weist ein Ereignis ab, das er schon hat. Antworten Sie auch dann mit 2xx, sonst wird es weiter wiederholt.',
      en: 'Your server refuses an event that it already has. Answer with a 2xx all the same, or it is retried again and again.',
    },
    section: answering,
  },
  unknown_type: {
    expected: 'accepted',
    advice: {
      de: 'Ihr Server weist einen Ereignistyp ab, den er nicht kennt. Neue Typen können jederzeit hinzukommen: Antworten Sie mit 2xx und ignorieren Sie sie.',
      en: 'Your server refuses an event type that it does not know. New types may be added at any time: answer with a 2xx and ignore them.',
    },
    section: 'webhook-events#envelope',
  },
  large: {
    expected: 'accepted',
    advice: {
      de: `Ihr Server weist einen Body von ${bodyBytes / 1024} KiB ab. So groß kann ein Ereignis sein: Erhöhen Sie die Grenze.`,
      en: `Your server refuses a body of ${bodyBytes / 1024} KiB. An event may be as large: raise the limit.`,
    },
    section: 'webhook-events#envelope',
  },
  slow: {
    expected: 'accepted',
    advice: {
      de: `Ihr Server weist einen Body ab, der über ${trickle.ms / 1000} Sekunden verteilt ankommt. Lesen Sie ihn vollständig, bevor Sie die Signatur prüfen.`,
      en: `Your server refuses a body that arrives over ${trickle.ms / 1000} seconds. Read all of it before you check the signature.`,
    },
    section: signatureRules,
  },
  tampered: {
    expected: 'refused',
    advice: {
      de: 'Ihr Server nimmt einen Body an, der nach dem Signieren verändert wurde. Berechnen Sie die Signatur über den empfangenen Body, und antworten Sie mit 400, wenn sie nicht übereinstimmt.',
      en: 'Your server accepts a body that was changed after it was signed. Compute the signature over the body that you received, and answer with a 400 if it differs.',
    },
    section: signatureRules,
  },
  stale: {
    expected: 'refused',
    advice: {
      de: `Ihr Server nimmt eine Signatur an, die ${staleMinutes} Minuten alt ist. Weisen Sie Zeitstempel ab, die mehr als ${signatureAgeSeconds} Sekunden abweichen: Sonst kann jemand eine aufgezeichnete Zustellung noch einmal senden.`,
      en: `Your server accepts a signature that is ${staleMinutes} minutes old. Refuse times that differ by more than ${signatureAgeSeconds} seconds, or somebody can send a recorded delivery again.`,
    },
    section: signatureRules,
  },
  wrong_secret: {
    expected: 'refused',
    advice: {
      de: 'Ihr Server nimmt eine Zustellung an, die mit einem anderen Geheimnis signiert ist. Jeder, der Ihre URL kennt, kann ihm Ereignisse senden: Prüfen Sie die Signatur mit dem Geheimnis dieses Endpunkts.',
      en: 'Your server accepts a delivery that is signed with another secret. Anybody who knows your URL can send it events: check the signature with the secret of this endpoint.',
    },
    section: signatureRules,
  },
};

// Making the requests

interface Signing {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly secret: string;
  readonly apiVersion: string;
  /** Of the check. The event of `valid` and `duplicate` has it as its id. */
  readonly checkId: string;
  readonly startedAt: Date;
  readonly now: Date;
}

/** The request of a probe. */
export const requestOf = (probe: ProbeName, check: Signing): Message => {
  const { tenantId, endpointId, url, apiVersion, checkId, startedAt, now } = check;
  const eventId = probe === 'valid' || probe === 'duplicate' ? checkId : newId();
  const type = probe === 'unknown_type' ? 'check.unknown_type' : 'ping';
  const written = (more: Record<string, string> = {}) => {
    const data = { team_id: tenantId, endpoint_id: endpointId, ...more };
    return bodyOf({ tenantId, eventId, type, createdAt: startedAt.toISOString(), apiVersion, data });
  };
  const filled = () => written({ padding: 'x'.repeat(bodyBytes - Buffer.byteLength(written({ padding: '' }))) });
  const body = probe === 'large' ? filled() : written();
  const headers = headersOf({
    secret: probe === 'wrong_secret' ? newSecret() : check.secret,
    eventId: publicEventId(eventId),
    body,
    at: probe === 'stale' ? new Date(now.getTime() - minutesToMs(staleMinutes)) : now,
  });
  return {
    url,
    headers: { ...headers, 'Svc-Check': probe },
    body: probe === 'tampered' ? written({ changed: 'after it was signed' }) : body,
    group: tenantId,
    ...(probe === 'slow' && { trickle }),
  };
};

// Judging the answers

export const outcomes = ['accepted', 'refused', 'redirected', 'server_error', 'no_answer'] as const;
export type Outcome = (typeof outcomes)[number];

/** From best to worst. */
export const verdicts = ['passed', 'improvable', 'failed'] as const;
export type CheckVerdict = (typeof verdicts)[number];

interface Answered {
  readonly probe: ProbeName;
  readonly code: number | null;
  readonly ms: number;
  readonly error: string | null;
}

export const outcomeOf = ({ code, error }: Pick<Answered, 'code' | 'error'>): Outcome => {
  if (error !== null || code === null) return 'no_answer';
  if (code < 300) return 'accepted';
  if (code < 400) return 'redirected';
  return code < 500 ? 'refused' : 'server_error';
};

interface Judgement {
  readonly verdict: CheckVerdict;
  readonly advice: Texts | null;
  readonly section: string | null;
}

const passed: Judgement = { verdict: 'passed', advice: null, section: null };

const adviceByOutcome = {
  redirected: {
    de: 'Ihr Server leitet um. Umleitungen wird nicht gefolgt: Tragen Sie die endgültige URL ein.',
    en: 'Your server redirects. Redirects are not followed: enter the final URL.',
  },
  server_error: {
    de: 'Ihr Server antwortet mit einem Fehler (5xx). Sehen Sie in seinem Protokoll nach der Zustellung mit diesem Wert in „Svc-Check“.',
    en: 'Your server answers with an error (5xx). Look in its log for the delivery with this value in “Svc-Check”.',
  },
  no_answer: {
    de: `Ihr Server gibt innerhalb von ${timeoutSeconds} Sekunden keine vollständige Antwort.`,
    en: `Your server gives no complete answer within ${timeoutSeconds} seconds.`,
  },
} satisfies Partial<Record<Outcome, Texts>>;

const slowAdvice: Texts = {
  de: `Ihr Server braucht ${slowAfterSeconds} Sekunden oder länger für die Antwort und bekommt deshalb weniger Zustellungen gleichzeitig. Speichern Sie das Ereignis, antworten Sie sofort, und verarbeiten Sie es danach.`,
  en: `Your server takes ${slowAfterSeconds} seconds or longer to answer, so it gets fewer deliveries at the same time. Store the event, answer at once, and process it afterwards.`,
};

const unclearRefusal: Texts = {
  de: 'Ihr Server nimmt die Zustellung nicht an, antwortet aber nicht mit 4xx. Weisen Sie sie mit 400 ab, damit sich eine Fälschung von einem Fehler unterscheiden lässt.',
  en: 'Your server does not accept the delivery, but does not answer with a 4xx. Refuse it with a 400, so that a forgery can be told from a fault.',
};

/** Whether the receiver did what a good one does, and if not, what to do. */
export const judge = ({ probe, code, ms, error }: Answered): Judgement => {
  const { expected, advice, section } = probes[probe];
  const outcome = outcomeOf({ code, error });
  if (outcome === 'accepted' || outcome === 'refused') {
    if (outcome !== expected) return { verdict: 'failed', advice, section };
    const answeredAfter = ms - (probe === 'slow' ? trickle.ms : 0);
    if (outcome === 'refused' || answeredAfter < slowAfterSeconds * 1000) return passed;
    return { verdict: 'improvable', advice: slowAdvice, section: answering };
  }
  if (expected === 'refused') return { verdict: 'improvable', advice: unclearRefusal, section: answering };
  return { verdict: 'failed', advice: adviceByOutcome[outcome], section: answering };
};

/** The worst of the verdicts. */
export const gradeOf = (given: readonly CheckVerdict[]): CheckVerdict =>
  verdicts.findLast((verdict) => given.includes(verdict)) ?? 'passed';
