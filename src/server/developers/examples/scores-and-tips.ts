import { createClient, isProblem } from 'team-customer-api-client';

const api = createClient({ baseUrl: process.env['BASE_URL'], key: process.env['API_KEY'] ?? '' });

try {
  // Each page is requested when the loop reaches it.
  for await (const { id } of api.trainings.list({ status: 'scored' })) {
    const { score, tips } = await api.evaluations.get(id);
    console.log(id, score.total, tips[0]?.rewrite ?? '');
  }
} catch (error) {
  if (!isProblem(error, 'privacy_restricted')) throw error;
  console.log('The team shares no details about people.', error.requestId);
}
