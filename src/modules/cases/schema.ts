import { z } from 'zod';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Time } from '../../platform/values.ts';

/** A JSON object whose keys are the client's own business. */
const freeForm = z.looseObject({});

export const Case = z
  .object({
    id: z.string(),
    user_id: z.string().meta({ description: 'Whose case it is.' }),
    title: z.string().nullable(),
    persona_id: z.string().nullable().meta({ description: 'The client’s own; not from the catalog.' }),
    fields: z
      .union([freeForm, z.array(z.unknown())])
      .nullable()
      .meta({ description: 'Free-form.' }),
    external_ref: freeForm.nullable().meta({ description: 'Free-form, for instance an id in another system.' }),
    created_at: Time.nullable(),
  })
  .meta({ id: 'Case' });
export type Case = z.output<typeof Case>;

export const CasePage = pageOf(Case).meta({ id: 'CasePage' });
export const CaseQuery = PageQuery.extend({
  user_id: z.string().optional().meta({ description: 'Only the cases of this user.' }),
});

const content = {
  title: z.string().nullish(),
  fields: freeForm.nullish().meta({ description: 'Free-form. Numbers are kept as doubles.' }),
  persona_id: z.string().nullish().meta({ description: 'Your own; not from the catalog.' }),
  external_ref: freeForm.nullish().meta({ description: 'Free-form, for instance an id in your system.' }),
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
