import type { Language } from '../core/language.ts';
import { keyRight } from '../modules/keys/service.ts';
import type { Plan } from '../modules/teams/service.ts';

export interface PersonPlan {
  name: string;
  /** When they joined, or were invited. */
  daysAgo: number;
  role?: 'admin';
  rights?: readonly string[];
  invited?: true;
}

/** What a demo team shall be. The domains are reserved ones: no mail ever reaches them. */
export interface TeamPlan {
  name: string;
  domain: string;
  language: Language;
  plan: Plan;
  seats: number;
  memberDetail: boolean;
  leaderboard: boolean;
  owner: { name: string; daysAgo: number };
  people: readonly PersonPlan[];
}

const mayMakeKeys = { role: 'admin', rights: [keyRight] } as const;
const admin = { role: 'admin' } as const;
const invited = { invited: true } as const;

/** The first shows everything; the second is small and has switched off details about single people. */
export const teamPlans: readonly TeamPlan[] = [
  {
    name: 'Nordlicht Energie Vertrieb',
    domain: 'nordlicht-energie.example',
    language: 'de',
    plan: 'enterprise',
    seats: 40,
    memberDetail: true,
    leaderboard: true,
    owner: { name: 'Katharina Brandt', daysAgo: 240 },
    people: [
      { name: 'Jonas Lindemann', daysAgo: 238, ...mayMakeKeys },
      { name: 'Ayşe Yılmaz', daysAgo: 236, ...mayMakeKeys },
      { name: 'Matthias Krüger', daysAgo: 231, ...admin },
      { name: 'Sophie Neumann', daysAgo: 230 },
      { name: 'Lukas Hoffmann', daysAgo: 230 },
      { name: 'Emily Carter', daysAgo: 224 },
      { name: 'Tobias Schäfer', daysAgo: 219 },
      { name: 'Marie Vogel', daysAgo: 213 },
      { name: 'Daniel Köhler', daysAgo: 205 },
      { name: 'Charlotte Baumann', daysAgo: 198 },
      { name: 'Oliver Bennett', daysAgo: 190 },
      { name: 'Lena Großmann', daysAgo: 177 },
      { name: 'Felix Sommer', daysAgo: 163 },
      { name: 'Nina Petersen', daysAgo: 151 },
      { name: 'Sebastian Wolff', daysAgo: 140 },
      { name: 'Hannah Schröder', daysAgo: 128 },
      { name: 'Marco Rossi', daysAgo: 113 },
      { name: 'Julia Arnold', daysAgo: 97 },
      { name: 'Paul Jansen', daysAgo: 82 },
      { name: 'Grace Thompson', daysAgo: 61 },
      { name: 'Leonie Fuchs', daysAgo: 34 },
      { name: 'Jan Böttcher', daysAgo: 9, ...invited },
      { name: 'Amelie Roth', daysAgo: 5, ...invited },
      { name: 'Henry Walsh', daysAgo: 2, ...admin, ...invited },
    ],
  },
  {
    name: 'Harbour & Finch Software',
    domain: 'harbour-finch.example',
    language: 'en',
    plan: 'team',
    seats: 12,
    memberDetail: false,
    leaderboard: true,
    owner: { name: 'Eleanor Finch', daysAgo: 180 },
    people: [
      { name: 'James Whitfield', daysAgo: 178, ...mayMakeKeys },
      { name: 'Priya Sharma', daysAgo: 171 },
      { name: 'Thomas Gallagher', daysAgo: 166 },
      { name: 'Anna Weber', daysAgo: 142 },
      { name: 'Samuel Okafor', daysAgo: 120 },
      { name: 'Isabel Moreno', daysAgo: 75 },
      { name: 'George Palmer', daysAgo: 4, ...invited },
    ],
  },
];
