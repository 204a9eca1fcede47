import { minutesToMs } from '../../core/clock.ts';
import { makeId } from '../../core/ids.ts';
import { deliveryLimits, endpointLimits, webhookLimits } from '../../core/limits.ts';
import type { Texts } from '../../core/language.ts';
import type { OutgoingMessage } from '../../egress/egress.ts';
import { bodyOf, headersOf, makeSecret, publicEventId } from '../../deliveries/message.ts';

// The requests of a check-up: their content, the expected reaction of the receiver, and the advice if it reacts
// differently. All have the header Svc-Check, and none reports a real event: their type is `ping`, or one that no
// receiver can know.

/** The probes in the order in which they are sent. */
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

/** The name of the job that sends the probes. */
export const checkTask = 'check_receiver';

export type ExpectedOutcome = 'accepted' | 'refused';

interface Probe {
  readonly expected: ExpectedOutcome;
  /** The advice if the receiver accepts a probe that it must refuse, or refuses one that it must accept. */
  readonly advice: Texts;
  /** The page and the section of the documentation that explain the probe. The anchor is the same in every language. */
  readonly section: string;
}

const { bodyBytes } = endpointLimits;
const { slowAfterSeconds } = deliveryLimits;
const { signatureAgeSeconds, timeoutSeconds } = webhookLimits;

const signatureRules = 'webhook-signatures#the-rules';
const answering = 'webhooks#answering';

/** `slow` sends its body over this time, in this many pieces. */
export const trickle = { ms: 2_000, pieces: 8 };
/** How old the signature of `stale` is. */
export const staleMinutes = 10;

export const probes: Readonly<Record<ProbeName, Probe>> = {
  valid: {
    expected: 'accepted',
    advice: {
      de: 'Ihr Server lehnt eine gültige Zustellung ab. Prüfen Sie das Signaturgeheimnis und berechnen Sie die Signatur über den unveränderten Body.',
      en: 'Your server rejects a valid delivery. Check the signing secret and compute the signature over the raw body.',
    },
    section: signatureRules,
  },
  duplicate: {
    expected: 'accepted',
    advice: {
      de: 'Ihr Server lehnt ein bereits empfangenes Ereignis ab. Antworten Sie auch dann mit 2xx, sonst wird die Zustellung wiederholt.',
      en: 'Your server rejects an event that it already received. Respond with 2xx in this case too, otherwise the delivery is retried.',
    },
    section: answering,
  },
  unknown_type: {
    expected: 'accepted',
    advice: {
      de: 'Ihr Server lehnt einen unbekannten Ereignistyp ab. Neue Typen können jederzeit hinzukommen: Antworten Sie mit 2xx und ignorieren Sie sie.',
      en: 'Your server rejects an unknown event type. New types can be added at any time: respond with 2xx and ignore them.',
    },
    section: 'webhook-events#envelope',
  },
  large: {
    expected: 'accepted',
    advice: {
      de: `Ihr Server lehnt einen Body von ${bodyBytes / 1024} KiB ab. Ereignisse können so groß sein: Erhöhen Sie das Limit.`,
      en: `Your server rejects a body of ${bodyBytes / 1024} KiB. Events can be this large: raise the limit.`,
    },
    section: 'webhook-events#envelope',
  },
  slow: {
    expected: 'accepted',
    advice: {
      de: `Ihr Server lehnt einen Body ab, der über ${trickle.ms / 1000} Sekunden übertragen wird. Lesen Sie ihn vollständig, bevor Sie die Signatur prüfen.`,
      en: `Your server rejects a body that is transmitted over ${trickle.ms / 1000} seconds. Read the whole body before you verify the signature.`,
    },
    section: signatureRules,
  },
  tampered: {
    expected: 'refused',
    advice: {
      de: 'Ihr Server nimmt einen manipulierten Body an. Berechnen Sie die Signatur über den empfangenen Body und antworten Sie mit 400, wenn sie nicht übereinstimmt.',
      en: 'Your server accepts a tampered body. Compute the signature over the received body and respond with 400 if it does not match.',
    },
    section: signatureRules,
  },
  stale: {
    expected: 'refused',
    advice: {
      de: `Ihr Server nimmt eine ${staleMinutes} Minuten alte Signatur an. Lehnen Sie Zeitstempel ab, die mehr als ${signatureAgeSeconds} Sekunden abweichen. Sonst sind Replay-Angriffe möglich.`,
      en: `Your server accepts a signature that is ${staleMinutes} minutes old. Reject timestamps that differ by more than ${signatureAgeSeconds} seconds. Otherwise replay attacks are possible.`,
    },
    section: signatureRules,
  },
  wrong_secret: {
    expected: 'refused',
    advice: {
      de: 'Ihr Server nimmt eine Zustellung mit falschem Signaturgeheimnis an. Prüfen Sie die Signatur, sonst kann jeder, der die URL kennt, gefälschte Ereignisse senden.',
      en: 'Your server accepts a delivery that is signed with a wrong secret. Verify the signature, otherwise anyone who knows the URL can send forged events.',
    },
    section: signatureRules,
  },
};

// Making the requests

interface CheckedEndpoint {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly secret: string;
  readonly apiVersion: string;
  /** The id of the check. The events of `valid` and `duplicate` have it, too. */
  readonly checkId: string;
  readonly startedAt: Date;
  readonly signedAt: Date;
}

export const requestOf = (probe: ProbeName, check: CheckedEndpoint): OutgoingMessage => {
  const { tenantId, endpointId, url, apiVersion, checkId, startedAt, signedAt } = check;
  const eventId = probe === 'valid' || probe === 'duplicate' ? checkId : makeId();
  const type = probe === 'unknown_type' ? 'check.unknown_type' : 'ping';
  const written = (more: Record<string, string> = {}) => {
    const data = { team_id: tenantId, endpoint_id: endpointId, ...more };
    return bodyOf({ tenantId, eventId, type, createdAt: startedAt.toISOString(), apiVersion, data });
  };
  const filled = () => written({ padding: 'x'.repeat(bodyBytes - Buffer.byteLength(written({ padding: '' }))) });
  const body = probe === 'large' ? filled() : written();
  const headers = headersOf({
    secret: probe === 'wrong_secret' ? makeSecret() : check.secret,
    eventId: publicEventId(eventId),
    body,
    at: probe === 'stale' ? new Date(signedAt.getTime() - minutesToMs(staleMinutes)) : signedAt,
  });
  return {
    url,
    headers: { ...headers, 'Svc-Check': probe },
    body: probe === 'tampered' ? written({ changed: 'after it was signed' }) : body,
    ...(probe === 'slow' && { trickle }),
  };
};

// Judging the answers

export const outcomes = ['accepted', 'refused', 'redirected', 'server_error', 'no_answer'] as const;
export type ProbeOutcome = (typeof outcomes)[number];

/** The verdicts on a receiver's reaction, from best to worst. */
export const verdicts = ['passed', 'improvable', 'failed'] as const;
export type CheckVerdict = (typeof verdicts)[number];

interface ProbeAnswer {
  readonly probe: ProbeName;
  readonly code: number | null;
  readonly ms: number;
  readonly error: string | null;
}

export const outcomeOf = ({ code, error }: Pick<ProbeAnswer, 'code' | 'error'>): ProbeOutcome => {
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
    de: 'Ihr Server antwortet mit einer Weiterleitung. Weiterleitungen werden nicht unterstützt: Geben Sie die endgültige URL ein.',
    en: 'Your server responds with a redirect. Redirects are not supported: enter the final URL.',
  },
  server_error: {
    de: 'Ihr Server antwortet mit einem Fehler (5xx). Suchen Sie in den Logs Ihres Servers nach diesem Wert im Header „Svc-Check“.',
    en: 'Your server responds with an error (5xx). Search your server’s logs for this value in the “Svc-Check” header.',
  },
  no_answer: {
    de: `Ihr Server antwortet nicht vollständig innerhalb von ${timeoutSeconds} Sekunden.`,
    en: `Your server does not respond completely within ${timeoutSeconds} seconds.`,
  },
} satisfies Partial<Record<ProbeOutcome, Texts>>;

const slowAdvice: Texts = {
  de: `Ihr Server benötigt ${slowAfterSeconds} Sekunden oder länger für die Antwort und erhält deshalb weniger Zustellungen gleichzeitig. Speichern Sie das Ereignis, antworten Sie sofort und verarbeiten Sie es danach.`,
  en: `Your server takes ${slowAfterSeconds} seconds or longer to respond and therefore gets fewer concurrent deliveries. Store the event, respond immediately and process it afterwards.`,
};

const unclearRefusal: Texts = {
  de: 'Ihr Server nimmt die Zustellung nicht an, antwortet aber nicht mit 4xx. Antworten Sie mit 400, damit sich ungültige Zustellungen von Serverfehlern unterscheiden lassen.',
  en: 'Your server does not accept the delivery, but does not respond with 4xx. Respond with 400, so that invalid deliveries can be told apart from server errors.',
};

/** Whether the receiver reacted correctly, and the advice if not. */
export const judge = ({ probe, code, ms, error }: ProbeAnswer): Judgement => {
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
