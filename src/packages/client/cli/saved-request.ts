/** A request that was saved in a file. */
export interface SavedRequest {
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Reads a request from a text: header lines, an empty line and the body. The marks that `curl -v` puts before lines, and the line break
 * that an editor adds at the end, are removed: a body of the service has neither.
 */
export const readSavedRequest = (text: Buffer): SavedRequest => {
  // Each byte is one character, so that the bytes of the body stay the same.
  const [, head = '', body = ''] = /^(.*?)(?:\r?\n[<>]? ?\r?\n|$)(.*)$/s.exec(text.toString('latin1')) ?? [];
  const headers: Record<string, string> = {};
  for (const line of head.split(/\r?\n/)) {
    const [, name, value] = /^(?:[<>] )?([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value;
  }
  return { headers, body: Buffer.from(body.replace(/\r?\n$/, ''), 'latin1') };
};
