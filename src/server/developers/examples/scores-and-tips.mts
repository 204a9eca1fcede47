import { createClient, isProblem } from 'team-customer-api-client';

const api = createClient({ baseUrl: process.env['BASE_URL'], key: process.env['API_KEY'] ?? '' });

try {
  // Each page is requested when the loop reaches it, with the evaluations of its trainings.
  for await (const { id, evaluation } of api.trainings.list({ status: 'scored', include: 'evaluation', limit: 200 })) {
    if (evaluation) console.log(id, evaluation.score.total, evaluation.tips[0]?.rewrite ?? '');
  }
} catch (error) {
  if (!isProblem(error, 'privacy_restricted')) throw error;
  console.log('The team shares no details about people.', error.requestId);
}
