import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { basePath } from '../core/base-path.ts';

/** Something of everything that the API has, for a first request by hand. */
const DemoIds = z.object({
  member: z.string(),
  admin: z.string(),
  training_scored: z.string(),
  training_unscored: z.string(),
  assignment: z.string(),
  case: z.string(),
  /** Somebody's own: the API does not find it. */
  private_case: z.string(),
  /** These three go together, and nothing blocks them. */
  situation: z.string(),
  personality: z.string(),
  industry: z.string(),
  /** The team's policy does not release it. */
  blocked_situation: z.string(),
});

const DemoTeam = z.object({
  name: z.string(),
  tenant_id: z.string(),
  owner: z.object({ email: z.string(), password: z.string(), member_id: z.string() }),
  keys: z.object({ all: z.string(), read_only: z.string() }),
  ids: DemoIds,
});
export type DemoTeam = z.output<typeof DemoTeam>;

/** What is told of the demo: where the service is, who can sign in, and the keys. */
export const DemoDocument = z.object({ base_url: z.string(), app_url: z.string(), teams: z.array(DemoTeam) });
export type DemoDocument = z.output<typeof DemoDocument>;

export const documentOf = (publicUrl: string, teams: DemoTeam[]): DemoDocument => ({
  base_url: `${publicUrl}${basePath}`,
  app_url: publicUrl,
  teams,
});

/**
 * What the demo is made of. Raise it when teams gain something: whoever has a demo of another edition gets new teams, since
 * nobody can tell what was done with the old ones meanwhile.
 */
const edition = 2;

const Kept = DemoDocument.extend({ edition: z.literal(edition) });

/** The database has only hashes of keys and passwords, so what can be shown again is kept in this file. */
const fileIn = (dataDir: string): string => join(dataDir, 'demo.json');

/** The document that was kept; undefined also for one that can't be read or is of another edition. */
export const readKept = async (dataDir: string): Promise<DemoDocument | undefined> => {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return DemoDocument.parse(Kept.parse(JSON.parse(text)));
  } catch {
    return undefined;
  }
};

/** Keeps the document for its owner's eyes only. A reader finds the old one or the new one, never a part. */
export const keep = async (dataDir: string, document: DemoDocument): Promise<void> => {
  await mkdir(dataDir, { recursive: true });
  const file = fileIn(dataDir);
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify({ edition, ...document }, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
