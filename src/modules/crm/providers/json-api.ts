import type { z } from 'zod';
import { readAnswer } from './answer.ts';
import type { CrmHttp } from './provider.ts';

interface JsonApi {
  /** The CRM's name in reasons. */
  readonly name: string;
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly http: CrmHttp;
}

/** The query of a request; undefined values are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Returns the function that sends a request to a CRM's API, below its address, and reads the answer. Without a body it is a GET. */
export const jsonApi =
  ({ name, address, headers, http }: JsonApi) =>
  async <Form extends z.ZodType>(
    path: string,
    form: Form,
    { query = {}, body, gapMs }: { query?: Query; body?: unknown; gapMs: number },
  ): Promise<z.output<Form>> => {
    const url = new URL(address);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value);
    const method = body === undefined ? 'GET' : 'POST';
    return readAnswer(`${name}, ${path}`, form, await http.json({ method, url, headers, body, gapMs }));
  };
