import { seesOthers } from '../../core/privacy.ts';
import { Problem } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Person, Team } from '../../platform/team.ts';
import { publicEventId, readEventId } from '../../deliveries/message.ts';
import { findAssignments, getAssignment } from '../assignments/service.ts';
import { getCase } from '../cases/service.ts';
import { findKeys, getKey } from '../keys/service.ts';
import { listTeam, namesOf, teamMember } from '../members/service.ts';
import { listRequests } from '../requests/service.ts';
import { readTraining } from '../trainings/read-store.ts';
import { endpointsOf, findDelivery, findEvent, getEndpoint } from '../webhooks/service.ts';
import type * as schema from './schema.ts';

// The search of the app. Each module returns the objects that the reader may see on that module's own pages. Admins see
// the team's members and objects, and while the team shows member details also the objects of single people. All others
// see their own objects. Every look-up uses the team's id, so ids of other teams find nothing.

type SearchResult = Camel<schema.SearchResult>;

/** The maximum number of results of one kind. */
const maxOfKind = 5;

interface SearchOfTeam {
  team: Team;
  reader: Person;
  isAdmin: boolean;
  /** Whether the reader may see objects of other people. */
  seesPeople: boolean;
}

type Lookup = (search: SearchOfTeam, id: string) => Promise<SearchResult | undefined>;

const found = (
  kind: SearchResult['kind'],
  id: string,
  rest: Partial<Omit<SearchResult, 'kind' | 'id'>> = {},
): SearchResult => ({
  kind,
  id,
  name: null,
  detail: null,
  endpointId: null,
  ...rest,
});

/** The result of a read; undefined if the object is not found. */
const ifAny = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
};

const memberWith = async ({ team }: SearchOfTeam, memberId: string): Promise<SearchResult | undefined> => {
  const member = await ifAny(teamMember(team, memberId));
  return member && found('member', member.id, { name: member.name ?? member.email, detail: member.email });
};

/** Objects of the team, which admins see. */
const ofTeam: readonly Lookup[] = [
  memberWith,

  // The id of a person in this team, which trainings and events contain.
  async (search, id) => {
    const [person] = await namesOf(search.team, search.reader, [id]);
    return person?.memberId ? memberWith(search, person.memberId) : undefined;
  },

  async ({ team }, id) => {
    const key = await ifAny(getKey(team, id));
    return key && found('key', key.keyId, { name: key.name, detail: key.prefix });
  },

  async ({ team }, id) => {
    const endpoint = await ifAny(getEndpoint(team, id));
    return endpoint && found('endpoint', endpoint.id, { name: endpoint.url, detail: endpoint.status });
  },

  async ({ team }, id) => {
    const { delivery } = (await findDelivery(team, id)) ?? {};
    return (
      delivery &&
      found('delivery', delivery.id, {
        name: delivery.eventType,
        detail: delivery.status,
        endpointId: delivery.endpointId,
      })
    );
  },

  async ({ team }, id) => {
    const event = await findEvent(team, id);
    return (
      event && found('event', publicEventId(event.id), { name: event.type, detail: event.createdAt.toISOString() })
    );
  },

  async ({ team }, id) => {
    const { data } = await listRequests(team, { requestId: id, limit: 1 });
    const [request] = data;
    return (
      request &&
      found('request', request.id, {
        name: `${request.method} ${request.route ?? ''}`.trim(),
        detail: String(request.status),
      })
    );
  },
];

/**
 * Objects of single people. Everybody sees their own. Admins see those of all people while the team shows member
 * details.
 */
const ofPeople: readonly Lookup[] = [
  async ({ team, reader, seesPeople }, id) => {
    const training = await readTraining(team.platform.database, team.id, id);
    if (!training || !(seesPeople || training.userId === reader.userId)) return undefined;
    return found('training', training.id, { detail: training.status });
  },

  async ({ team, reader, seesPeople }, id) => {
    const assignment = await ifAny(getAssignment(team, id));
    if (!assignment || !(seesPeople || assignment.memberUserId === reader.userId)) return undefined;
    return found('assignment', assignment.id, { name: assignment.title, detail: assignment.status });
  },

  async ({ team, reader, seesPeople }, id) => {
    const own = await ifAny(getCase(team, { private: true, userId: reader.userId }, id));
    const one = own ?? (seesPeople ? await ifAny(getCase(team, { private: false }, id)) : undefined);
    return one && found('case', one.id, { name: one.title, detail: own ? 'private' : null });
  },
];

const withId = async (search: SearchOfTeam, id: string): Promise<SearchResult[]> => {
  const results: SearchResult[] = [];
  // The searches run one after the other, so that a request uses one connection.
  for (const lookup of search.isAdmin ? [...ofTeam, ...ofPeople] : ofPeople) {
    const result = await lookup(search, id);
    if (result) results.push(result);
  }
  return results;
};

const membersNamed = async ({ team }: SearchOfTeam, text: string): Promise<SearchResult[]> => {
  const { data } = await listTeam(team, { search: text, limit: maxOfKind });
  return data.map(({ id, name, email }) => found('member', id, { name: name ?? email, detail: email }));
};

const endpointsNamed = async ({ team }: SearchOfTeam, text: string): Promise<SearchResult[]> => {
  const wanted = text.toLowerCase();
  const named = (await endpointsOf(team)).filter(({ url, description }) =>
    [url, description ?? ''].some((one) => one.toLowerCase().includes(wanted)),
  );
  return named.slice(0, maxOfKind).map(({ id, url, status }) => found('endpoint', id, { name: url, detail: status }));
};

const withText = async (search: SearchOfTeam, text: string): Promise<SearchResult[]> => {
  const { team, reader, isAdmin, seesPeople } = search;
  const members = isAdmin ? await membersNamed(search, text) : [];
  const keys = isAdmin ? await findKeys(team, text, maxOfKind) : [];
  const endpoints = isAdmin ? await endpointsNamed(search, text) : [];
  const memberId = seesPeople ? null : reader.memberId;
  const assignments = await findAssignments(team, { text, memberId, max: maxOfKind });
  return [
    ...members,
    ...keys.map(({ keyId, name, prefix }) => found('key', keyId, { name, detail: prefix })),
    ...endpoints,
    ...assignments.map(({ id, title, person }) => found('assignment', id, { name: title, detail: person })),
  ];
};

const idsWithin =
  /(?<![0-9a-z-])(?:evt_[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9a-z-])/g;

/** The last id in a text. In a path, this is the id of the innermost object. */
const idIn = (text: string): string | undefined => {
  const last = text.toLowerCase().match(idsWithin)?.at(-1);
  return last === undefined ? undefined : readEventId(last);
};

/** The objects that the reader may see with this id, or with this text in their name, address, title or description. */
export const findAll = (team: Team, reader: Person, text: string): Promise<SearchResult[]> => {
  const isAdmin = reader.role !== 'member';
  const search = { team, reader, isAdmin, seesPeople: seesOthers(reader, team.privacy) };
  const id = idIn(text);
  return id === undefined ? withText(search, text) : withId(search, id);
};
