import type { WebhookEvent } from '../webhooks.ts';

/** How an event or a request was handled. This is printed for people, or as one line of JSON for programs. */
export interface PrintedReport {
  event?: WebhookEvent;
  /** Absent if the signature was not checked. */
  isVerified?: boolean;
  refused?: { reason: string; message: string };
  /** The answer of the receiver to which the event was forwarded. */
  forwarded?: { status: number } | { error: string };
  /** The status that the sender got. */
  answered?: number;
}

export type Print = (report: PrintedReport) => void;

/** A value on one line. Control characters in a request must not reach the terminal, because anybody may send it. */
// oxlint-disable-next-line no-control-regex -- they are what is meant
export const plain = (text: string): string => text.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, '�');

const valueOf = (value: unknown): string => plain(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The fields of `data`, one on a line, in a column. */
const fieldLines = (data: unknown): string[] => {
  const fields = Object.entries(Object(data));
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${plain(name).padEnd(width)}  ${valueOf(value)}`);
};

const linesOf = ({ event, isVerified, refused, forwarded, answered }: PrintedReport): string[] => {
  const lines: string[] = [];
  if (event) {
    lines.push(`${plain(event.type)}  ${plain(event.id)}  ${plain(event.created_at)}`);
    if (isVerified !== undefined) lines.push(isVerified ? 'signature valid' : 'signature not checked');
    lines.push(...fieldLines(event.data));
  }
  if (refused) lines.push(`refused: ${refused.reason}`, refused.message);
  if (forwarded)
    lines.push('error' in forwarded ? `not forwarded: ${forwarded.error}` : `forwarded → ${forwarded.status}`);
  if (answered !== undefined) lines.push(`answered ${answered}`);
  return lines;
};

export const makePrinter = (isJson: boolean): Print => {
  if (isJson) return (report) => console.log(JSON.stringify({ at: new Date().toISOString(), ...report }));
  return (report) => {
    const [first, ...others] = linesOf(report);
    const time = new Date().toTimeString().slice(0, 8);
    console.log([`${time}  ${first}`, ...others.map((line) => `          ${line}`), ''].join('\n'));
  };
};
