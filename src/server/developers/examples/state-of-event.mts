import { isProblem, type createClient, type WebhookEvent } from 'team-customer-api-client';

type Client = ReturnType<typeof createClient>;

const read = async (api: Client, event: WebhookEvent) => {
  if (event.type === 'training.completed') return api.trainings.get(event.data.training_id);
  if (event.type === 'evaluation.completed') return api.evaluations.get(event.data.training_id);
  if (event.type === 'assignment.created') return api.assignments.get(event.data.assignment_id);
  if (event.type === 'assignment.completed') return api.assignments.get(event.data.assignment_id);
  if (event.type === 'member.joined') return api.users.get(event.data.member_id);
  return undefined; // it says all there is, or is of a type that came after this program
};

/** Reads what an event is about, such as a training, as it is now; undefined if it is deleted, or no route reads it. */
export const stateOf = async (api: Client, event: WebhookEvent) => {
  try {
    return await read(api, event);
  } catch (error) {
    // Deleted meanwhile, or a training whose person has left the team: delete it in your system too.
    if (isProblem(error, 'not_found')) return undefined;
    throw error;
  }
};
