import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';
import { listen } from './listen.ts';

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
