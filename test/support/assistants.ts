import { createHash, randomBytes } from 'node:crypto';
import {
  Client,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type OAuthClientProvider,
  type Tool,
} from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { z } from 'zod';
import { makeId } from '../../src/core/ids.ts';
import { clientIdOf } from '../../src/modules/assistants/clients.ts';
import { exchangeCode } from '../../src/modules/assistants/tokens.ts';
import type { BrowserSession } from './people.ts';
import { tools } from '../contract/rows/tools.ts';
import { aScoredTraining, aCombination, anAssignment, aCase } from './practice.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';

// Assistants: their connections, in the database and in the app, and clients that use the tools.

interface Wanted {
  memberId: string;
  userId: string;
  clientName?: string;
}

/** Inserts a connection into the database: its code was exchanged, but no client has its tokens. */
export const anAssistantConnection = async (
  { database: { prisma }, clock }: Pick<TestService, 'database' | 'clock'>,
  { id: tenantId }: { id: string },
  { memberId, userId, clientName = 'An assistant' }: Wanted,
): Promise<string> => {
  const { personId } = await prisma.teamUser.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id: userId } } });
  const [id, now] = [makeId(), clock.now()];
  await prisma.assistantConnection.create({
    data: {
      tenantId,
      id,
      memberId,
      personId,
      clientName,
      clientHash: Uint8Array.from(randomBytes(32)),
      redirectUri: 'https://assistant.example/callback',
      codeHash: Uint8Array.from(randomBytes(32)),
      codeChallenge: 'a challenge',
      codeUsedAt: now,
      accessHash: Uint8Array.from(randomBytes(32)),
      refreshHash: Uint8Array.from(randomBytes(32)),
      expiresAt: new Date(now.getTime() + 86_400_000),
      createdAt: now,
    },
  });
  return id;
};

/** A person consents in this session. `answer`: to the app; `exchange`: the assistant exchanges the code for tokens. */
export const consentInSession = async (
  { platform }: Pick<TestService, 'platform'>,
  browser: BrowserSession,
  { id }: { id: string },
) => {
  const redirectUri = 'http://127.0.0.1:45678/callback';
  const verifier = randomBytes(32).toString('base64url');
  const clientId = clientIdOf(platform, { name: 'An assistant', redirectUris: [redirectUri] });
  const answer = await browser.mutate('entrance/assistants.connect', {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    tenant_id: id,
  });
  const exchange = () => {
    const code = new URL(String(answer.data['redirect_to'])).searchParams.get('code') ?? '';
    return exchangeCode(platform, { code, clientId, redirectUri, verifier });
  };
  return { answer, clientId, exchange };
};

/** Connects an assistant in this session. */
export const connectInSession = async (
  service: Pick<TestService, 'platform'>,
  browser: BrowserSession,
  team: { id: string },
) => {
  const { clientId, exchange } = await consentInSession(service, browser, team);
  const { access = '', refresh = '' } = (await exchange()) ?? {};
  return { access, refresh, clientId };
};

/** The protocol versions of the official client: the newest one, and the one that most assistants still use. */
export const revisions = ['2026-07-28', 'legacy'] as const;
type Revision = (typeof revisions)[number];

const Data = z.record(z.string(), z.unknown());

const Answered = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: Data.optional(),
});

export interface ToolAnswer {
  readonly isError: boolean;
  readonly texts: string[];
  /** The structured content; of a refusal, which has none, the JSON in its second text. */
  readonly data: Record<string, unknown>;
}

/** An assistant that uses the official client. */
export interface Assistant {
  readonly client: Client;
  tools(): Promise<Tool[]>;
  toolNames(): Promise<string[]>;
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
}

interface Options {
  revision?: Revision;
  headers?: Record<string, string>;
}

/** A client that is not connected yet, and its transport. */
export const anMcpClient = (
  { origin }: Pick<TestService, 'origin'>,
  authProvider: AuthProvider | OAuthClientProvider,
  { revision = '2026-07-28', headers = {} }: Options = {},
) => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: revision === 'legacy' ? 'legacy' : { pin: revision } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    authProvider,
    requestInit: { headers },
  });
  return { client, transport };
};

/**
 * The storage of the official client, and the URL to which it sends its user. With `clientMetadataUrl` the client need
 * not register.
 */
export const anOAuthProvider = (
  redirectUri: string,
  more: Pick<OAuthClientProvider, 'clientMetadataUrl'> = {},
): OAuthClientProvider & { sentTo: () => URL } => {
  let sentTo: URL | undefined;
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; discovery?: unknown } = {};
  const provider: Partial<OAuthClientProvider> = {
    ...more,
    redirectUrl: redirectUri,
    clientMetadata: { client_name: 'Der Assistent', redirect_uris: [redirectUri] },
    state: () => 'the state',
    clientInformation: () =>
      Object(kept.client ?? undefined).client_id === undefined ? undefined : Object(kept.client),
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => (kept.tokens === undefined ? undefined : Object(kept.tokens)),
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (sentTo = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
    invalidateCredentials: () => void (kept.tokens = undefined),
    saveDiscoveryState: (state) => void (kept.discovery = state),
    discoveryState: () => (kept.discovery === undefined ? undefined : Object(kept.discovery)),
  };
  return Object.assign(Object(provider), { sentTo: () => sentTo ?? new URL('http://nowhere.invalid') });
};

export const assistantOf = (client: Client): Assistant => ({
  client,
  tools: async () => (await client.listTools()).tools,
  toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  async call(name, given = {}) {
    const answered = Answered.parse(await client.callTool({ name, arguments: given }));
    const { isError = false, content, structuredContent } = answered;
    const texts = content.map(({ text }) => text);
    if (isError) expect(structuredContent).toBeUndefined();
    return { isError, texts, data: isError ? Data.parse(JSON.parse(texts[1] ?? '')) : Data.parse(structuredContent) };
  },
});

/** A connected assistant with this token. */
export const anAssistant = async (
  service: Pick<TestService, 'origin'>,
  token: string,
  options: Options = {},
): Promise<Assistant> => {
  const { client, transport } = anMcpClient(service, { token: async () => token }, options);
  await client.connect(transport);
  return assistantOf(client);
};

/** A team with data for every tool, and valid arguments for each tool. */
export const aCoachedTeam = async (service: TestService, team: TestTeam) => {
  const member = await team.anActiveMember();
  const userId = member.user_id ?? '';
  const trainingId = await aScoredTraining(service, team, { userId });
  const combination = await aCombination(service);
  const yesterday = new Date(service.clock.now().getTime() - 86_400_000);
  const assignmentId = await anAssignment(service, team, {
    memberId: member.id,
    title: 'Überfällig',
    dueDate: yesterday,
  });
  const caseId = await aCase(service, team, { userId, title: 'Verlängerung' });
  const given: Readonly<Record<string, Record<string, unknown>>> = Object.fromEntries(
    Object.entries(tools).map(([name, row]) => [name, row.given?.({ member, combination }) ?? {}]),
  );
  return { member, userId, trainingId, assignmentId, caseId, combination, given };
};
