import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, type Answer, type Question } from 'dns-packet';

/** The records of a name. If a family is missing, the answer has no records. */
export interface Records {
  readonly A?: readonly string[] | Failure;
  readonly AAAA?: readonly string[] | Failure;
  readonly CNAME?: string;
  readonly TXT?: readonly string[];
}

/** `silence`: the server never answers. */
type Failure = 'SERVFAIL' | 'NXDOMAIN' | 'silence';

/** A name that is missing is NXDOMAIN; a function is called for each question. */
export type Zone = Record<string, Entry>;
type Entry = Records | Failure | (() => Records | Failure);

export interface NameServer {
  /** `127.0.0.1:port`, the format of WEBHOOK_DNS_SERVERS. */
  readonly address: string;
  set(name: string, entry: Entry): void;
  /** The questions in order: `A example.com`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const NO_ERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;

interface Found {
  readonly answers: Answer[];
  readonly code: number;
}

/** Follows CNAMEs, like a recursive resolver. */
const find = (zone: ReadonlyMap<string, Entry>, { name, type }: Question): Found | 'silence' => {
  const answers: Answer[] = [];
  let at = name.toLowerCase();
  for (let hops = 0; hops < 10; hops += 1) {
    const entry = zone.get(at) ?? 'NXDOMAIN';
    const known = typeof entry === 'function' ? entry() : entry;
    if (known === 'silence') return known;
    if (typeof known === 'string') return { answers: [], code: known === 'SERVFAIL' ? SERVFAIL : NXDOMAIN };
    if (known.CNAME !== undefined) {
      answers.push({ type: 'CNAME', name: at, ttl: 0, data: known.CNAME });
      at = known.CNAME.toLowerCase();
      continue;
    }
    if (type === 'TXT') {
      for (const data of known.TXT ?? []) answers.push({ type, name: at, ttl: 0, data });
    }
    if (type !== 'A' && type !== 'AAAA') return { answers, code: NO_ERROR };
    const records = known[type] ?? [];
    if (records === 'silence') return records;
    if (typeof records === 'string') return { answers: [], code: records === 'SERVFAIL' ? SERVFAIL : NXDOMAIN };
    for (const data of records) answers.push({ type, name: at, ttl: 0, data });
    return { answers, code: NO_ERROR };
  }
  return { answers: [], code: SERVFAIL };
};

/** A DNS server whose answers a test can change between two questions. */
export const startNameServer = async (zone: Zone = {}): Promise<NameServer> => {
  const known = new Map(Object.entries(zone).map(([name, entry]) => [name.toLowerCase(), entry]));
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    if (question === undefined) return;
    asked.push(`${question.type} ${question.name}`);
    const found = find(known, question);
    if (found === 'silence') return;
    const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | found.code;
    socket.send(
      encode({ type: 'response', id: id ?? 0, flags, questions: [question], answers: found.answers }),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (name, entry) => known.set(name.toLowerCase(), entry),
    asked,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
};
