import { StringDecoder } from 'node:string_decoder';
import { webhookLimits } from '../core/limits.ts';

/** UTF-8 needs no more for a character. */
const bytesPerCharacter = 4;

/** NUL is the one character that PostgreSQL can't keep. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** Where the text's first `most` characters (code points) end; undefined if it has fewer. */
const endOf = (text: string, most: number): number | undefined => {
  if (text.length < most) return undefined;
  let end = 0;
  for (let count = 0; count < most; count += 1) {
    if (end >= text.length) return undefined;
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
};

/** The first characters of a body that comes in pieces, whatever bytes it is made of. */
export class Excerpt {
  readonly #most: number;
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  /** Nothing that comes would change it. */
  complete = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    if (this.complete) return;
    this.#text += this.#decoder.write(chunk.subarray(0, this.#most * bytesPerCharacter));
    const end = endOf(this.#text, this.#most);
    if (end === undefined) return;
    this.#text = this.#text.slice(0, end);
    this.complete = true;
  }

  /** As much as there is; a character that was cut off shows as U+FFFD. */
  end(): string {
    if (!this.complete) {
      this.#text += this.#decoder.end();
      this.#text = this.#text.slice(0, endOf(this.#text, this.#most));
      this.complete = true;
    }
    return storable(this.#text);
  }
}

export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

const mostHeaders = 50;

/** A receiver's headers as text, as many as fit. */
export const readHeaders = (headers: ReceivedHeaders): Record<string, string> => {
  const read: [string, string][] = [];
  let left: number = webhookLimits.responseHeaderBytes;
  for (const [name, value] of Object.entries(headers)) {
    const text = storable(Array.isArray(value) ? value.join(', ') : (value ?? ''));
    left -= Buffer.byteLength(name) + Buffer.byteLength(text);
    if (left < 0 || read.length === mostHeaders) break;
    read.push([name, text]);
  }
  return Object.fromEntries(read);
};
