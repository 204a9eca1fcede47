import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

const isGenuine = (body, header, secrets, now = Date.now()) => {
  const fields = (header ?? '').split(',');
  const [t = '', ...moreTimes] = fields.filter((field) => field.startsWith('t=')).map((field) => field.slice(2));
  const signatures = fields.filter((field) => /^v1=[0-9a-f]{64}$/.test(field)).map((field) => field.slice(3));
  if (!/^[0-9]{1,12}$/.test(t) || moreTimes.length > 0) return false;
  const fits = secrets.filter(Boolean).some((secret) => {
    const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
    return signatures.some((v1) => timingSafeEqual(expected, Buffer.from(v1, 'hex')));
  });
  return fits && Math.abs(Math.floor(now / 1000) - Number(t)) <= 300;
};

const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(',');
const inbox = new Map(); // in production: a table with the id as its key

const take = async (request, response) => {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > 65_536) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isGenuine(body, request.headers['svc-signature'], secrets)) throw new Error('The signature does not fit.');
  const event = JSON.parse(body);
  const isNew = !inbox.has(event.id);
  if (isNew) inbox.set(event.id, event);
  console.log(`${isNew ? 'Verified' : 'Already stored'}: ${event.type} ${event.id}`);
  response.writeHead(204).end();
};

// An aborted request, or a body that is not JSON, must not end the receiver.
const receive = (request, response) =>
  take(request, response).catch((error) => {
    console.log(`Refused: ${error.message}`);
    response.writeHead(400).end();
  });

// With a certificate in its folder, it serves HTTPS itself; otherwise a proxy or tunnel must do so.
const server = existsSync('cert.pem')
  ? createSecureServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') }, receive)
  : createServer(receive);
server.listen(process.env.PORT ?? 8443, () => console.log(`Listening on ${server.address().port}`));
