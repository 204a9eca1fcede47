import { randomUUID } from 'node:crypto';
import { fetchPatiently } from './retrying.mjs';

const { BASE_URL, API_KEY } = process.env;

/** `idempotencyKey` belongs to this assignment: keep it with your record of it, and send it again if you try again. */
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
