import { httpLink, type TRPCClientError, type TRPCLink } from '@trpc/client';
import type { AnyTRPCRouter } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import { currentLanguage } from '../language/language.tsx';
import { currentTeam } from '../session/current-team.ts';
import { askForProof } from '../session/fresh-proof.ts';
import { noteAnswer } from './availability.ts';
import { parseExactly } from '../../core/exact-json.ts';
import { problemOf } from './problem.ts';

/** If the server requires a fresh proof of the person, asks for it and repeats the call. */
const withProof: TRPCLink<AnyTRPCRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      const askAndRepeat = async (error: TRPCClientError<AnyTRPCRouter>) => {
        if (problemOf(error)?.code === 'proof_required' && (await askForProof())) sent = next(op).subscribe(observer);
        else observer.error(error);
      };
      let sent = next(op).subscribe({ ...observer, error: (error) => void askAndRepeat(error) });
      return () => sent.unsubscribe();
    });

const hasDirection = (input: unknown): input is { direction: unknown } =>
  typeof input === 'object' && input !== null && 'direction' in input;

/** `infiniteQueryOptions` adds a direction to the input. The server's lists have only one, and refuse the field. */
const withoutDirection: TRPCLink<AnyTRPCRouter> =
  () =>
  ({ op, next }) => {
    if (op.type !== 'query' || !hasDirection(op.input)) return next(op);
    const { direction: _, ...input } = op.input;
    return next({ ...op, input });
  };

/** Parses a response so that its numbers keep every digit. */
const withExactNumbers = (response: Response): Response =>
  Object.assign(response, { json: async () => parseExactly(await response.text()) });

const callHeaders = (): Record<string, string> => {
  const team = currentTeam();
  return { 'Accept-Language': currentLanguage(), ...(team !== undefined && { 'X-Team': team }) };
};

/** How a call reaches one of the server's routers. */
export const linksTo = (router: 'app' | 'api' | 'entrance') => [
  withProof,
  withoutDirection,
  httpLink<AnyTRPCRouter>({
    url: `/trpc/${router}`,
    fetch: async (url, { signal = null, ...options } = {}) =>
      withExactNumbers(await noteAnswer(fetch(url, { ...options, signal }))),
    headers: callHeaders,
  }),
];
