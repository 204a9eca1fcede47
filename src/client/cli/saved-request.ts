/** A request as somebody saved it. */
export interface SavedRequest {
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Reads a request from a text: lines of headers, an empty line and the body. The marks that `curl -v` puts before lines and the line break
 * that an editor puts at the end are taken off: a body of the service has none.
 */
export const readSavedRequest = (text: Buffer): SavedRequest => {
  // Each byte is one character, so that the body stays what it is.
  const [, head = '', body = ''] = /^(.*?)(?:\r?\n[<>]? ?\r?\n|$)(.*)$/s.exec(text.toString('latin1')) ?? [];
  const headers: Record<string, string> = {};
  for (const line of head.split(/\r?\n/)) {
    const [, name, value] = /^(?:[<>] )?([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value;
  }
  return { headers, body: Buffer.from(body.replace(/\r?\n$/, ''), 'latin1') };
};
