export interface Cookie {
  name: string;
  value: string;
}

/** Signs in to the app, and returns the cookies of the session. */
export const signIn = async (
  origin: string,
  { email, password }: { email: string; password: string },
): Promise<Cookie[]> => {
  const answer = await fetch(`${origin}/trpc/entrance/entrance.signIn`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`signing in: ${answer.status} ${await answer.text()}`);
  return answer.headers.getSetCookie().map((cookie) => {
    const [name = '', ...value] = (cookie.split(';')[0] ?? '').split('=');
    return { name, value: value.join('=') };
  });
};

/** Cookies as the value of a `Cookie` header. */
export const cookieHeader = (cookies: readonly Cookie[]): string =>
  cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
