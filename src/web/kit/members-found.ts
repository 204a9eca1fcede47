import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { TeamMember } from '../../modules/members/app-schema.ts';
import { useText } from '../language/language.ts';
import { app } from '../server/server.ts';

interface Found {
  /** Everybody who was found so far, the first of the list among them. */
  members: readonly TeamMember[];
  labelOf: (member: TeamMember) => string;
  loaded: boolean;
  search: (text: string) => void;
}

/** People of the team to choose from: the first ones, and whoever a search finds. Only admins may ask. */
export const useMembersFound = (status?: TeamMember['status']): Found => {
  const t = useText();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 250);
  const [known, setKnown] = useState<ReadonlyMap<string, TeamMember>>(new Map());
  // What a choice puts into its own search field is the label of who was chosen.
  const { data } = app.useAnswer('members.list', {
    ...(status !== undefined && { status }),
    ...(search !== '' && !search.includes(' · ') && { search }),
  });
  useEffect(() => {
    if (data) setKnown((former) => new Map([...former, ...data.data.map((member) => [member.id, member] as const)]));
  }, [data]);
  return {
    members: [...known.values()],
    labelOf: (member) => {
      const label = member.name === null ? member.email : `${member.name} · ${member.email}`;
      return member.status === 'invited' ? `${label} (${t('eingeladen', 'invited')})` : label;
    },
    loaded: data !== undefined,
    search: setText,
  };
};
