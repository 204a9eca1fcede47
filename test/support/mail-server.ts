import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';
import { listen } from './ports.ts';

export interface ReceivedMail {
  readonly to: string;
  readonly from: string;
  /** The whole message as it was received. */
  readonly raw: string;
}

export interface MailServer {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** The number of offered mails, including refused ones. */
  readonly offered: () => number;
  /** Refuses the next `count` mails with a temporary error. */
  refuse(count: number): void;
  close(): Promise<void>;
}

/** A mail server that accepts all mails until a test tells it to refuse some. */
export const startMailServer = async (): Promise<MailServer> => {
  const received: ReceivedMail[] = [];
  let offered = 0;
  let refusals = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      let raw = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (raw += chunk));
      stream.once('end', () => {
        offered += 1;
        if (refusals > 0) {
          refusals -= 1;
          done(Object.assign(new Error('4.2.1 come back later'), { responseCode: 451 }));
          return;
        }
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        for (const { address: to } of envelope.rcptTo) received.push({ to, from, raw });
        done();
      });
    },
  });
  server.on('error', () => {});
  return {
    url: `smtp://127.0.0.1:${await listen(server.server)}`,
    received,
    offered: () => offered,
    refuse: (count) => (refusals = count),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};

/** The same for the whole test file; closed at its end. */
export const useMailServer = async (): Promise<MailServer> => {
  const mailServer = await startMailServer();
  afterAll(() => mailServer.close());
  return mailServer;
};

/** The subject and the plain text of a mail. Only parses the format that nodemailer writes. */
export const readMail = (
  raw: string,
): { subject: string; to: string; from: string; text: string; messageId: string } => {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = new Map(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );
  const header = (name: string) => decodeWords(headers.get(name) ?? '');
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '') ?? [];
  const part =
    rest
      .join('\r\n\r\n')
      .split(`--${boundary}`)
      .find((one) => one.includes('text/plain')) ?? '';
  const [partHead = '', ...partBody] = part.split('\r\n\r\n');
  const body = partBody.join('\r\n\r\n');
  return {
    subject: header('subject'),
    to: header('to'),
    from: header('from'),
    messageId: header('message-id'),
    text: decodeBody(/content-transfer-encoding: (\S+)/i.exec(partHead)?.[1] ?? '7bit', body),
  };
};

const unquote = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

const decodeBody = (encoding: string, body: string): string => {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? unquote(body.replace(/=\r\n/g, '')) : body;
};

const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString('utf8') : unquote(word.replaceAll('_', ' ')),
    );
