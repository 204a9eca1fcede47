// The module's front door.

export { saveEvaluation } from './evaluations.ts';
export { importTrainings } from './history.ts';
export type { PastTraining } from './history.ts';
export {
  getEvaluation,
  getOwnEvaluation,
  getOwnTraining,
  getTraining,
  listEvaluated,
  listTrainings,
} from './listing.ts';
export { addListingJob, addLostListingJobs, relistNext } from './relisting.ts';
export { recordTraining } from './recording.ts';
export { abortTraining, endTraining, startTraining } from './sessions.ts';
