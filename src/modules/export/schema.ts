import { z } from 'zod';
import { Time } from '../../platform/values.ts';

export const ExportAllowed = z.object({
  path: z.string().meta({ description: 'The path from which the browser can download the ZIP once.' }),
  expires_at: Time,
});
