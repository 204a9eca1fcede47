import { z } from 'zod';
import { Time } from '../../platform/values.ts';

export const ExportAllowed = z.object({
  path: z.string().meta({ description: 'Where the browser gets the ZIP from, once.' }),
  expires_at: Time,
});
