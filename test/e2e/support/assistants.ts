import { createHash, randomBytes } from 'node:crypto';
import { clientIdOf } from '../../../src/modules/assistants/clients.ts';
import { consentPath } from '../../../src/modules/assistants/schema.ts';
import type { AppTest } from './app.ts';

/** An assistant's request for access: the path of the page where a person consents, and what the assistant keeps. */
export const requestOf = ({ service }: AppTest, redirectUri: string, name = 'Mein Assistent') => {
  const verifier = randomBytes(32).toString('base64url');
  const clientId = clientIdOf(service.platform, { name, redirectUris: [redirectUri] });
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state',
    scope: 'anything',
  });
  return { clientId, verifier, path: `${consentPath}?${parameters.toString()}` };
};
