import { join } from 'node:path';

/** The description of v1 that was accepted last, on which customers rely. */
export const baselineFile = join(import.meta.dirname, '..', '..', 'docs', 'openapi.v1.json');

/** The URL of the service in this description, in a domain that is reserved for examples. */
export const documentedUrl = 'https://team-customer-api.example';
