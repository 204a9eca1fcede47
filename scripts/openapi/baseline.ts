import { join } from 'node:path';

/** The description of v1 as it was last accepted: what customers rely on. */
export const baselineFile = join(import.meta.dirname, '..', '..', 'docs', 'openapi.v1.json');

/** The address of the service in this description, under a name that is reserved for examples. */
export const documentedUrl = 'https://team-customer-api.example';
