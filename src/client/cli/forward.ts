/** An answer of the receiver to which an event was forwarded, or why there is none. */
export type Forwarded = { status: number; body: string } | { error: string };

export type Forward = (body: string | Uint8Array, headers: Record<string, string>) => Promise<Forwarded>;

const timeoutMs = 10_000;

/** Posts events to another receiver, as the service would. */
export const forwardTo =
  (url: URL): Forward =>
  async (body, headers) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body: typeof body === 'string' ? body : Buffer.from(body),
        headers: { 'Content-Type': 'application/json', ...headers },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: answer.status, body: await answer.text() };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      return { error: cause instanceof Error ? cause.message || cause.name : String(cause) };
    }
  };
