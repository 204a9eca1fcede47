import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { client } from '../server/server.ts';
import { setCurrentTeam } from './current-team.ts';
import { dropAllDrafts } from './drafts.ts';

/** Signs out, and opens the sign-in page. */
export const useSignOut = () => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (): Promise<void> => {
    // Running requests would be refused after the change.
    await queries.cancelQueries();
    await client.entrance.entrance.signOut.mutate({});
    setCurrentTeam(undefined);
    dropAllDrafts();
    // The sign-in page clears the cached answers.
    await navigate('/sign-in');
  };
};
