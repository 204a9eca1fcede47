const mebibytes = 1024 ** 2;
const gibibytes = 1024 ** 3;

/**
 * How many bytes a team may store, by plan. `stored`: its cases, assignments, trainings and evaluations, each with 512 bytes in addition
 * to its content. `answers`: the answers that are kept for `Idempotency-Key`, counted in the same way. Requests that add something are
 * refused once the quota is used up; deleting always works.
 */
export const storageQuotas = {
  basic: { stored: 50 * mebibytes, answers: 50 * mebibytes },
  team: { stored: 1 * gibibytes, answers: 1 * gibibytes },
  enterprise: { stored: 10 * gibibytes, answers: 10 * gibibytes },
} as const;
