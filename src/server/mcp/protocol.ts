import { ProtocolError, ProtocolErrorCode, Server, type CallToolResult } from '@modelcontextprotocol/server';
import { counted, type Noun } from '../../core/counted.ts';
import { problems, type Problem } from '../../core/problem.ts';
import type { Language } from '../../core/language.ts';
import { serviceName, serviceVersion } from '../../core/product.ts';
import { problemOf } from '../../db/unavailable.ts';
import { titleForPerson } from '../../platform/trpc/app-problem.ts';
import { toolCallOf, type ToolCaller } from './caller.ts';
import type { Tool } from './tool.ts';
import { assignPractice, assignPracticeToMany, listAssignments, practiceCatalog } from './tools/assignments.ts';
import { createCase, listCases } from './tools/cases.ts';
import { findMember, memberEvaluations, recentTrainings } from './tools/people.ts';
import { teamProgress, whoNeedsHelp } from './tools/progress.ts';

// The messages of the protocol: the list of tools, and their calls. One server object serves one request, so any
// process can answer the next one.

const instructions = `${serviceName}: the sales training of one team. Members practise customer conversations; each is scored from 0 to 100 in five dimensions. Use find_member to get from a name to a member_id. Scores, tips, names and addresses are personal: repeat only what the user asked for, and to nobody else. Ask the user before a tool that creates something.`;

/** All tools, in the order in which they are listed. */
export const allTools: readonly Tool[] = [
  teamProgress,
  whoNeedsHelp,
  findMember,
  memberEvaluations,
  recentTrainings,
  listAssignments,
  assignPractice,
  assignPracticeToMany,
  practiceCatalog,
  listCases,
  createCase,
];

export const toolNamed: ReadonlyMap<string, Tool> = new Map(allTools.map((tool) => [tool.name, tool]));

interface CallReports {
  /** A known tool is called. */
  called: (tool: string) => void;
  /** The call was answered with a problem. `error` is the thrown error. */
  refused: (problem: Problem, error: unknown) => void;
}

/** The title of a problem. A person has no key that could lack a scope. */
const titleOf = (problem: Problem, { principal, language }: ToolCaller): string =>
  principal.kind === 'person' ? titleForPerson(problem, language) : problems[problem.code].title[language];

const second: Noun = { de: ['Sekunde', 'Sekunden'], en: ['second', 'seconds'] };

/** The advice on a problem, in a sentence or two. */
export const adviceOn = (problem: Problem, language: Language) => {
  const { errors, field, retry_after: wait } = problem.members;
  const { detail } = problem.membersIn(language);
  if (errors) return errors.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  if (wait !== undefined) {
    const seconds = counted(wait, second);
    const again = { de: `In ${seconds.de} noch einmal versuchen.`, en: `Try again in ${seconds.en}.` }[language];
    return [detail, again].filter((part) => part !== undefined).join(' ');
  }
  return [field, detail ?? problems[problem.code].advice[language]].filter((part) => part !== undefined).join(': ');
};

/** A sentence, and then data as JSON, because many assistants read only the texts. */
const textsOf = (sentence: string, data: object): CallToolResult['content'] =>
  [sentence, JSON.stringify(data)].map((text) => ({ type: 'text', text }));

/**
 * A problem as the answer of a tool, so that the assistant can correct its call or explain it to the user. It has no
 * `structuredContent`, because some clients check it against the tool's output schema, even in an error, and then fail.
 */
const refusalOf = (problem: Problem, caller: ToolCaller): CallToolResult => ({
  isError: true,
  content: textsOf(`${titleOf(problem, caller)} (${problem.code}). ${adviceOn(problem, caller.language)}`, {
    code: problem.code,
    request_id: caller.team.requestId,
    ...problem.members,
  }),
});

/** The MCP server for one request of this caller. It lists only the tools whose scopes the caller has. */
export const makeMcpServer = (caller: ToolCaller, { called, refused }: CallReports): Server => {
  const { language, principal } = caller;
  const server = new Server(
    { name: 'team-customer-api', title: serviceName, version: serviceVersion },
    { capabilities: { tools: {} }, instructions },
  );

  server.setRequestHandler('tools/list', () => ({
    tools: allTools
      .filter(({ scopes }) => scopes.every((scope) => principal.scopes.has(scope)))
      .map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
        name,
        title: title[language],
        description,
        inputSchema,
        outputSchema,
        annotations,
      })),
  }));

  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
    const tool = toolNamed.get(name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool with this name.');
    called(name);
    try {
      const answer = await tool.call(toolCallOf(caller), given);
      return { content: textsOf(tool.summaryOf(answer)[language], answer), structuredContent: answer };
    } catch (error) {
      const problem = problemOf(error);
      refused(problem, error);
      return refusalOf(problem, caller);
    }
  });
  return server;
};
