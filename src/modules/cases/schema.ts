import { exampleIds } from '../../core/example-ids.ts';
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import type { AsJson } from '../../core/json.ts';
import { freeFormObject, freeFormObjectOrArray, makeFreeForm } from '../../platform/free-form.ts';
import { PageQuery, pageOf, updatedSince } from '../../platform/paging.ts';
import { noTextOrUpTo, Time } from '../../platform/values.ts';

export const Case = z
  .object({
    id: z.string().meta({ description: 'The case id: `{case_id}` in paths.' }),
    user_id: z.string().meta({ description: 'The `user_id` of the member to whom the case belongs.' }),
    title: z.string().nullable().meta({ description: 'A short text for people, on one line.' }),
    persona_id: z.string().nullable().meta({ description: 'An id of your own, not from the catalog.' }),
    fields: freeFormObjectOrArray.nullable().meta({ description: 'Free-form.' }),
    external_ref: freeFormObject.nullable().meta({ description: 'Free-form, for instance an id in another system.' }),
    created_at: Time.nullable().meta({ description: 'When it was created.' }),
    updated_at: Time.meta({
      description: 'When one of these fields last changed, or the case was shared with the team.',
    }),
  })
  .meta({ id: 'Case', description: 'A customer situation that the whole team can practise with.' });
export type Case = z.output<typeof Case>;
/** A case as the reader of the JSON sees it. */
export type CaseJson = AsJson<Case>;

export const CasePage = pageOf(Case).meta({ id: 'CasePage', description: 'A page of cases.' });
export const CaseQuery = PageQuery.extend({
  user_id: z.string().optional().meta({ description: 'Only the cases of this user.' }),
  updated_since: updatedSince('cases'),
});
export type CaseQuery = z.output<typeof CaseQuery>;

/** The filters of the app's count of cases. */
export const CaseFilters = CaseQuery.pick({ user_id: true });

const { titleCharacters, freeFormBytes } = limits;
const sizeOfFreeForm = `At most ${freeFormBytes / 1024} KiB of JSON.`;

/** The fields of a case that can be written. */
const content = {
  title: noTextOrUpTo(titleCharacters).meta({
    maxLength: titleCharacters,
    description: 'A short text for people, on one line.',
  }),
  fields: makeFreeForm('fields', { arrays: true })
    .nullish()
    .meta({ description: `Free-form. Numbers come back digit by digit. ${sizeOfFreeForm}` }),
  persona_id: noTextOrUpTo(titleCharacters).meta({
    maxLength: titleCharacters,
    description: 'An id of your own, not from the catalog.',
  }),
  external_ref: makeFreeForm('external_ref')
    .nullish()
    .meta({ description: `Free-form, for instance an id in your system. ${sizeOfFreeForm}` }),
};

export const NewOwnCase = z.strictObject(content);
export type CaseContent = z.output<typeof NewOwnCase>;

export const NewCase = z.strictObject({
  user_id: z.string().meta({ description: 'The user id of an active member of this team.' }),
  ...content,
});

const caseId = z.string().meta({ description: 'The id of a case of this team.' });

export const CasePath = z.strictObject({ case_id: caseId });
export const CaseChange = z.strictObject({ case_id: caseId, ...content });

export const newCaseExample = {
  user_id: exampleIds.user,
  title: 'Renewal at Nordlicht GmbH',
  persona_id: 'persona-17',
  fields: { industry: 'energy', employees: 240, objections: ['price', 'timing'] },
  external_ref: { crm: 'deal-8841' },
};

export const caseExample = {
  id: exampleIds.case,
  ...newCaseExample,
  created_at: '2026-11-20T08:30:00.000Z',
  updated_at: '2026-11-20T08:30:00.000Z',
};
