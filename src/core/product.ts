import manifest from '../../package.json' with { type: 'json' };

/** What people see it called. */
export const serviceName = 'Team Customer API';

/** What the service calls itself where it asks others. */
export const userAgent = `Team-Customer-API/${manifest.version}`;
