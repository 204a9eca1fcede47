import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { notifyProblem } from '../kit/page/messages.tsx';
import { forgetFrame } from '../layout/frame.ts';
import { client } from '../server/server.ts';
import { setCurrentTeam } from './current-team.ts';
import { dropAllDrafts } from './drafts.ts';

/** Forgets the team, the drafts and the stored frame of the person who has signed out. */
export const forgetPerson = (): void => {
  setCurrentTeam(undefined);
  dropAllDrafts();
  forgetFrame();
};

/** Signs out, and opens the sign-in page. If that fails, the person stays on the page and sees the reason. */
export const useSignOut = () => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (): Promise<void> => {
    // Running requests would be refused after the sign-out.
    await queries.cancelQueries();
    try {
      await client.entrance.entrance.signOut.mutate({});
    } catch (error) {
      notifyProblem(error);
      void queries.invalidateQueries();
      return;
    }
    forgetPerson();
    // The sign-in page clears the cached answers.
    await navigate('/sign-in');
  };
};
