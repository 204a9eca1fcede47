import { Agent, Client, Pool } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';

/** An exchange that wants to know what it travels on. */
export abstract class Passenger implements Dispatcher.DispatchHandler {
  protected line: Line | undefined;

  board(line: Line): void {
    this.line = line;
  }

  abstract onRequestStart(controller: Dispatcher.DispatchController): void;
}

/** One connection to a receiver, opened again when it is needed and gone; it counts the exchanges that began on it. */
class Line extends Client {
  #exchanges = 0;

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => {
      this.#exchanges = 0;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Passenger) handler.board(this);
    return super.dispatch(options, handler);
  }

  /** An exchange begins; tells whether the connection had served another one before, so that it may have died meanwhile. */
  begin(): boolean {
    this.#exchanges += 1;
    return this.#exchanges > 1;
  }
}

/** How long an idle connection is kept, unless the receiver says less. */
const keptMs = 10_000;
const mostHeaderBytes = 16 * 1024;

/** All lines to all receivers, as many as there are exchanges at once; without `keepAlive` each serves a single exchange. */
export const openLines = (connect: buildConnector.connector, { keepAlive }: { keepAlive: boolean }): Agent => {
  const options: Client.Options = {
    connect,
    allowH2: false,
    pipelining: keepAlive ? 1 : 0,
    maxHeaderSize: mostHeaderBytes,
    keepAliveTimeout: keptMs,
    keepAliveMaxTimeout: keptMs,
    // Each attempt keeps its own time, over everything; these would start anew with every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const factory = (origin: string | URL) => new Line(origin, options);
  return new Agent({ allowH2: false, factory: (origin) => new Pool(origin, { allowH2: false, factory }) });
};
