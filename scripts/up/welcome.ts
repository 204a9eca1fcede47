import type { DemoDocument } from '../../src/cli/demo/prepare.ts';

/** The text that `npm run up` prints at the end: the URLs, the sign-ins and a first request. */
export const welcome = ({ base_url, app_url, teams }: DemoDocument): string => {
  const lines = [
    '',
    'The service is up.',
    '',
    `  App        ${app_url}`,
    `  REST API   ${base_url}`,
    `  OpenAPI    ${base_url}/openapi.v1.json`,
    `  Docs       ${app_url}/developers`,
    `  Health     ${app_url}/healthz  ${app_url}/readyz`,
    '',
    'Two demo teams, each with its owner’s sign-in and API keys (shown again by: npm run -s cli -- demo)',
  ];
  for (const { name, tenant_id, owner, keys } of teams) {
    lines.push(
      '',
      `  ${name}  ${tenant_id}`,
      `    sign-in        ${owner.email}  ${owner.password}`,
      `    key, all       ${keys.all}`,
      `    key, read only ${keys.read_only}`,
    );
  }
  const key = teams[0]?.keys.all ?? '';
  lines.push(
    '',
    'Try it:',
    '',
    `curl -i -H 'Authorization: Bearer ${key}' ${base_url}/me`,
    '',
    'Ctrl-C stops everything.',
    '',
  );
  return lines.join('\n');
};
