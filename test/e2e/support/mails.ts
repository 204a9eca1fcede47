import type { AppTest } from './app.ts';

/** The path of the link in the last mail of this kind. */
export const mailedPath = async (app: AppTest, email: string, kind: string): Promise<string> => {
  const [mail] = (await app.service.mailsTo(email)).filter((one) => one.kind === kind);
  return /https?:\/\/[^/\s]+(\/\S+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '';
};
