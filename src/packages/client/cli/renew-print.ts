import { plain } from './print.ts';

/** A step of a renewal that is done. */
type RenewalStep =
  | { step: 'checked'; event_id: string; accepts_old_secret: boolean }
  | { step: 'created'; endpoint_id: string; secret: string }
  | { step: 'answered'; secret: 'old' | 'new'; response_code: number | null; error: string | null }
  | { step: 'recovered'; since: string; events: number }
  | { step: 'deleted'; endpoint_id: string };

export type Print = (step: RenewalStep) => void;

const linesOf = (done: RenewalStep): string[] => {
  if (done.step === 'checked' && !done.accepts_old_secret) {
    return ['Your receiver does not accept the old secret, so it could not be checked.'];
  }
  if (done.step === 'checked') {
    return [
      'Your receiver accepts an event that it has already, and refuses a wrong secret.',
      `Only you can see whether it processed it once: the event of this check is ${done.event_id}.`,
    ];
  }
  if (done.step === 'created') {
    return [
      `Endpoint ${done.endpoint_id} created. Its secret is shown only now:`,
      done.secret,
      'Give it to your receiver, beside the old one or in its place. Tests follow until it is accepted.',
    ];
  }
  if (done.step === 'answered') {
    return [`${done.secret} secret: ${plain(done.error ?? `HTTP ${done.response_code}`)}`];
  }
  if (done.step === 'recovered') {
    return [`${done.events} events since ${done.since} are sent to the new endpoint, too: some had not arrived yet.`];
  }
  return [`Endpoint ${done.endpoint_id} deleted. The secret is renewed: remove the old one from your receiver.`];
};

/** Prints the steps of a renewal: for people, or as lines of JSON for programs. */
export const makePrinter = (isJson: boolean): Print => {
  if (isJson) return (step) => console.log(JSON.stringify({ at: new Date().toISOString(), ...step }));
  return (step) => console.log(linesOf(step).join('\n'));
};
