import { subjectOf, type Subject } from '../../src/modules/sign-ins/tries.ts';
import { windows } from '../../src/modules/windows/store.ts';
import type { TestService } from './service.ts';

/** Counts many tries in one statement. Each real one would take a request, and some a hash. */
export const countTries = async (
  { database }: TestService,
  { seconds, count, ...subject }: Subject & { seconds: number; count: number },
): Promise<void> => {
  await windows.count(database, { subject: subjectOf(subject), seconds, count });
};
