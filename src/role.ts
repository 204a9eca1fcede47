/** What a process of the service does: it serves HTTP, or it runs the jobs. */
export type Role = 'api' | 'worker';

export const roles: readonly Role[] = ['api', 'worker'];
