import { Pool } from 'undici';

interface Request {
  origin: string;
  path: string;
  headers: Record<string, string>;
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

interface Load {
  next: () => Request;
  connections: number;
  seconds: number;
}

/** Keeps so many connections busy for so long. An answer other than 200 ends the measurement: it would measure the wrong thing. */
export const measure = async ({ next, connections, seconds }: Load): Promise<Measured> => {
  const pool = new Pool(next().origin, { connections });
  const times: number[] = [];
  const started = performance.now();
  const ends = started + seconds * 1000;

  const client = async () => {
    while (performance.now() < ends) {
      const { path, headers } = next();
      const sent = performance.now();
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const elapsed = (performance.now() - started) / 1000;
  await pool.close();

  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { perSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99) };
};
