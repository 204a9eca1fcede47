import { z } from 'zod';
import { readInstant } from '../../../core/clock.ts';
import { wrong } from '../../../core/messages/crm.ts';
import type { Camel } from '../../../core/spelling.ts';
import { isStorable } from '../../../core/storable.ts';
import { decimalText, readBy } from './answer.ts';

// The deals and objections that an adapter finds in its CRM. The generic feed has the same form, so the messages name
// the flaws of a feed's answer. Null or absent: unknown. The types have this form in camelCase.

const idCharacters = 255;

export const notStorable = wrong('unstorable');
const hasNoControls = (text: string): boolean => !/\p{Cc}/u.test(text);

const Text = z.string(wrong('text')).refine(isStorable, notStorable);
const NoText = Text.nullish();
const ShortText = z.string(wrong('text')).max(idCharacters, { abort: true }).refine(isStorable, notStorable);
const Id = ShortText.refine(hasNoControls, wrong('controls')).min(1, wrong('empty'));
const NoId = ShortText.nullish();

/** Decimal text with the CRM's digits. */
const Amount = readBy((value) => decimalText(value), wrong('decimal')).nullish();

/** Per cent: a whole number from 0 to 100. */
const Probability = readBy((value) => {
  const per = typeof value === 'string' ? NaN : Number(decimalText(value));
  return per >= 0 && per <= 100 ? Math.round(per) : undefined;
}, wrong('percentage')).nullish();

const Day = z.iso
  .date({ error: wrong('day'), abort: true })
  .refine((day) => !day.startsWith('0000'), wrong('yearZero'));

const Instant = readBy(
  (value) => (typeof value === 'string' ? readInstant(value) : undefined),
  wrong('time'),
).nullish();

export const SourceDeal = z.object({
  /** The CRM's id, by which the next sync finds the deal. */
  id: Id,
  outcome: z.enum(['open', 'won', 'lost'], wrong('outcome')),
  title: NoText,
  amount: Amount,
  /** ISO 4217, upper case. */
  currency: z
    .string(wrong('text'))
    .regex(/^[A-Z]{3}$/, wrong('currency'))
    .nullish(),
  close_date: Day.nullish(),
  probability: Probability,
  pipeline_id: NoId,
  stage_id: NoId,
  /** The key or id of an industry in the catalog. */
  industry: NoText,
  lost_reason: NoText,
  owner_email: NoText,
  last_activity_at: Instant,
});
export type SourceDeal = Camel<z.output<typeof SourceDeal>>;

export const DeletedDeal = z.object({ id: Id, deleted: z.literal(true) });
export type DeletedDeal = z.output<typeof DeletedDeal>;

export const SourceObjection = z.object({
  /** The CRM's id, unique within its deal. */
  id: Id,
  deal_id: Id,
  category: Id,
  text: Text,
  lang: Id,
  created_at: Instant,
});
export type SourceObjection = Camel<z.output<typeof SourceObjection>>;
