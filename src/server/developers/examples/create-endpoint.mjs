import { appendFileSync } from 'node:fs';

const { BASE_URL, API_KEY, RECEIVER_URL } = process.env;

const answer = await fetch(`${BASE_URL}/webhook-endpoints`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ url: RECEIVER_URL, events: ['training.completed', 'evaluation.completed'] }),
});
const endpoint = await answer.json();
if (answer.status !== 201) throw new Error(`${answer.status} ${endpoint.code}: ${endpoint.detail ?? endpoint.title}`);

// Only this answer has the secret.
appendFileSync('.env', `\nENDPOINT_ID=${endpoint.id}\nWEBHOOK_SECRETS=${endpoint.secret}\n`);
console.log(`Created the endpoint ${endpoint.id}. Its secret is in .env.`);
