import type { TestService } from '../support/service.ts';

/** The token of the last invitation that was mailed to an address. */
export const lastLink = async (service: TestService, email: string): Promise<string> => {
  const [mail] = (await service.mailsTo(email)).filter(({ kind }) => kind === 'invitation');
  return /\/invitations\/([\w-]+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '';
};
