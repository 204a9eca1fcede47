import { useQuery } from '@tanstack/react-query';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { TextLink } from '../text/text.tsx';

/** The team's owner by name, for an admin who needs something that only the owner can grant. */
export const Owner = () => {
  const { data } = useQuery(app.members.list.queryOptions({ role: 'owner', limit: 1 }));
  const owner = data?.data[0];
  if (!owner) return <>{t('der Inhaber', 'the owner')}</>;
  return <TextLink to={`/members/${owner.id}`}>{owner.name ?? owner.email}</TextLink>;
};
