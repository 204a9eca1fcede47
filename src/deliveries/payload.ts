import { z } from 'zod';
import type { SentType } from '../core/events.ts';

/** A type of event with the shape of its data. Within an `api_version`, fields may be added but never removed. */
export interface Payload<
  Type extends SentType = SentType,
  Data extends z.ZodRawShape = z.ZodRawShape,
  Personal extends z.ZodRawShape = z.ZodRawShape,
> {
  type: Type;
  /** The fields that are always present, in addition to `team_id`. */
  data: z.ZodObject<Data>;
  /** The fields that are present only while the team shows member details. */
  personal: z.ZodObject<Personal>;
  example: z.output<z.ZodObject<Data & Personal>>;
}

/**
 * Declares an event in the module whose rule raises it (`modules/<x>/events.ts`). `modules/events/payloads.ts` lists
 * all of them for the documentation.
 */
export const payload = <const Type extends SentType, Data extends z.ZodRawShape, Personal extends z.ZodRawShape>(
  type: Type,
  shape: Omit<Payload<Type, Data, Personal>, 'type'>,
): Payload<Type, Data, Personal> => ({ type, ...shape });

/** The data with which an event is raised. */
export interface EventData<Event extends Payload> {
  data: z.output<Event['data']>;
  /** Sent only while the team shows member details. */
  personal: z.output<Event['personal']>;
}

// Parts that the declarations of several events use

export const text = (description: string) => z.string().meta({ description });

export const whilePeopleAreShown = 'Absent while `member_detail_enabled` is off';
export const notYetAUser = `${whilePeopleAreShown}, and until the member accepts the invitation.`;

export const nothingPersonal = z.object({});
