// For machines without wrk: sends the prepared requests in turn with autocannon, each connection starting at another request, and prints
// the results as one line of JSON. autocannon.ts ORIGIN CONNECTIONS SECONDS FILE FIRST

import { readFile } from 'node:fs/promises';
import autocannon from 'autocannon';
import type { Result } from '../load.ts';

const [origin = '', connections = '1', seconds = '1', file = '', first = '0'] = process.argv.slice(2);

const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
const requests = lines.map((line): autocannon.Request => {
  const [method, path, authorization, body] = line.split('\t');
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  };
});

let connected = 0;
const measured = await autocannon({
  url: origin,
  connections: Number(connections),
  duration: Number(seconds),
  setupClient: (client) => {
    const start = (Number(first) + Math.floor((connected * requests.length) / Number(connections))) % requests.length;
    connected += 1;
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  },
});

const result: Result = {
  requests: measured.requests.total,
  seconds: measured.duration,
  p50: measured.latency.p50,
  p99: measured.latency.p99,
  refused: measured.non2xx,
  failed: measured.errors + measured.timeouts,
};
console.log(JSON.stringify(result));
