import { expect } from 'vitest';
import type { Directory } from '../support/scim.ts';

/** A message of a directory, and what it expects of the answer. */
export interface Message {
  /** What it does, in words. */
  readonly what: string;
  /** `{name}` stands for a value of an earlier answer or of the test. */
  readonly request: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  readonly body?: object;
  readonly status: number;
  readonly answer?: object;
  /** The name by which later messages know the answer's `id`. */
  readonly id?: string;
}

const filled = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values.get(name) ?? whole);

/** Sends messages one after the other, and compares their answers. */
export const send = async (
  directory: Directory,
  messages: readonly Message[],
  given: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> => {
  const values = new Map(Object.entries(given));
  for (const { what, request, body, status, answer, id } of messages) {
    const [method = '', path = ''] = filled(request, values).split(/ (.*)/s);
    const [place = '', query] = path.split(/\?(.*)/s);
    const encoded = query === undefined ? place : `${place}?${encodeURI(query).replaceAll('+', '%2B')}`;
    const options = body ? { body: filled(JSON.stringify(body), values) } : {};
    const got = await directory.request(method, encoded, options);
    expect([what, got.status], got.text).toEqual([what, status]);
    if (answer) {
      const expected: unknown = JSON.parse(filled(JSON.stringify(answer), values));
      expect({ what, ...got.body }).toMatchObject({ what, ...Object(expected) });
    }
    if (id !== undefined) values.set(id, String(got.body['id']));
  }
  return values;
};
