import { randomUUID } from 'node:crypto';
import { fetchPatiently } from './retrying.mjs';

const { BASE_URL, API_KEY } = process.env;

/** `idempotencyKey` belongs to this assignment: store it with your record, and send the same key if you retry. */
export const createAssignment = async (assignment, idempotencyKey = randomUUID()) => {
  const answer = await fetchPatiently(`${BASE_URL}/assignments`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${API_KEY}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify(assignment),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${body.code} (request ${body.request_id})`);
  return body;
};
