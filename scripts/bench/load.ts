import { Pool } from 'undici';
import { median, quantile } from './statistics.ts';

export interface Request {
  origin: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

interface Load {
  next: () => Request;
  /** What every answer has to say. */
  status: number;
  connections: number;
  seconds: number;
}

/** Keeps so many connections busy for so long. An answer with another status ends the measurement: it would measure the wrong thing. */
export const measure = async ({ next, status, connections, seconds }: Load): Promise<Measured> => {
  const pool = new Pool(next().origin, { connections });
  const times: number[] = [];
  const started = performance.now();
  const ends = started + seconds * 1000;

  const client = async () => {
    while (performance.now() < ends) {
      const { method, path, headers, body = null } = next();
      const sent = performance.now();
      const answer = await pool.request({ method, path, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== status) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const elapsed = (performance.now() - started) / 1000;
  await pool.close();

  return { perSecond: times.length / elapsed, p50: median(times), p99: quantile(times, 0.99) };
};
