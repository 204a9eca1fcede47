// The pages whose texts pages-show.slow.test.ts compares with files.

export const readers = ['owner', 'admin', 'member'] as const;

export type Pages = Partial<Record<(typeof readers)[number], readonly string[]>>;

/** The pages of each reader, with names in place of ids. */
export const pages: Pages = {
  owner: [
    '/',
    '/members',
    '/members?status=former',
    '/members?peek=MIA',
    '/members/MIA',
    '/members/OLGA',
    '/members/IVO',
    '/trainings',
    '/trainings?peek=TRAINING',
    '/trainings/TRAINING',
    '/trainings/ABORTED',
    '/assignments',
    '/assignments?assignment_id=ASSIGNMENT',
    '/assignments?view=mine',
    '/assignments?view=mine&assignment_id=OWN-ASSIGNMENT',
    '/cases',
    '/cases?case_id=CASE',
    '/cases?view=mine',
    '/cases?view=mine&case_id=OWN-CASE',
    '/catalog?search=known',
    '/catalog?search=known&dimension=industry',
    '/catalog?search=known&member=MIA',
    '/analytics',
    '/account',
  ],
  admin: ['/', '/members', '/members/MIA', '/analytics'],
  member: [
    '/',
    '/trainings',
    '/trainings/TRAINING',
    '/assignments',
    '/assignments?assignment_id=ASSIGNMENT',
    '/cases',
    '/analytics',
    '/account',
  ],
};

/** What is left while the team hides details of its members. */
export const withoutDetails: Pages = {
  owner: ['/', '/members', '/members/MIA', '/trainings', '/assignments', '/cases', '/analytics'],
  member: ['/', '/trainings', '/assignments', '/analytics'],
};

/** What is left of a suspended team. */
export const suspended: Pages = { owner: ['/', '/account'], member: ['/'] };

/** The pages about programs. */
export const programs: Pages = {
  owner: [
    '/keys',
    '/keys/WAREHOUSE-KEY',
    '/keys/FOUND-KEY',
    '/keys/REPLACED-KEY',
    '/keys/REVOKED-KEY',
    '/webhooks',
    '/webhooks/GOOD-ENDPOINT',
    '/webhooks/GOOD-ENDPOINT?peek=ENDED-DELIVERY',
    '/webhooks/FAILING-ENDPOINT',
    '/webhooks/PAUSED-ENDPOINT',
    '/webhooks/OFF-ENDPOINT',
    '/webhooks/GOOD-ENDPOINT/deliveries/WAITING-DELIVERY',
    '/webhooks/GOOD-ENDPOINT/deliveries/FAILED-DELIVERY',
    '/webhooks/GOOD-ENDPOINT/deliveries/ENDED-DELIVERY',
    '/webhooks/events/EVENT',
    '/crm',
    '/crm?view=deals',
    '/crm?view=objections',
    '/crm/SALES-CONNECTION',
    '/crm/REFUSED-CONNECTION',
    '/crm/PAUSED-CONNECTION',
    '/crm/BARE-CONNECTION',
    '/requests',
    '/requests?peek=REQUEST-A',
    '/requests/REQUEST-B',
    '/audit',
    '/settings',
    '/settings/privacy',
    '/settings/reminders',
    '/settings/company-account',
    '/settings/required-sign-in',
    '/settings/directory',
    '/settings/plan',
    '/settings/limits',
    '/settings/export',
  ],
  admin: ['/keys', '/webhooks/GOOD-ENDPOINT', '/crm', '/settings', '/settings/company-account', '/settings/limits'],
};

/** What is left of them while the team hides details of its members. */
export const programsWithoutDetails: Pages = {
  owner: [
    '/webhooks/GOOD-ENDPOINT/deliveries/ENDED-DELIVERY',
    '/webhooks/events/EVENT',
    '/crm?view=deals',
    '/requests/REQUEST-B',
    '/audit',
    '/settings/privacy',
  ],
};
