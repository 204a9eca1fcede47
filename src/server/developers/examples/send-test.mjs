import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, API_KEY, ENDPOINT_ID } = process.env;

const call = async (path, method = 'GET') => {
  const answer = await fetch(`${BASE_URL}${path}`, { method, headers: { Authorization: `Bearer ${API_KEY}` } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${body.code}: ${body.detail ?? body.title}`);
  return body;
};

await call(`/webhook-endpoints/${ENDPOINT_ID}/test`, 'POST');
for (let tries = 0; tries < 20; tries += 1) {
  const [delivery] = (await call(`/webhook-endpoints/${ENDPOINT_ID}/deliveries`)).data;
  if (delivery.status !== 'pending') {
    console.log(`The delivery is ${delivery.status}:`, delivery);
    break;
  }
  await sleep(500);
}
