import type { Request, RequestHandler, Response } from 'express';
import { utcDay } from '../../core/clock.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { beyondTeams, forTeam } from '../../db/row-security.ts';
import type { Logger } from '../../core/log.ts';
import { ownShareInUse } from '../../core/own-share.ts';
import { fail, Problem } from '../../core/problem.ts';
import { exportLimits } from '../../core/limits.ts';
import { addressOf } from '../http/request-context.ts';
import { exportPages, readTicket, useTicket, type Ticket } from '../../modules/export/service.ts';
import { visitorOf } from '../../modules/sign-ins/visitor.ts';
import type { Auth } from '../../modules/sign-ins/library.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { teamFor } from './trpc.ts';

interface ExportParts {
  platform: Platform;
  auth: Auth;
  log: Logger;
}

/**
 * The download of a team's export, which a browser saves. It is not a procedure, because the answer of a procedure is
 * complete before it is sent. A request needs the owner's session and a ticket that a procedure gave the owner shortly
 * before. Pages of other sites have no ticket.
 */
export const exportDownload = ({ platform, auth, log }: ExportParts): RequestHandler<{ ticket: string }> => {
  const slots = new FairSemaphore({
    slots: exportLimits.atOnceInProcess,
    perGroup: 1,
    waitingPerGroup: 0,
    refusal: (because) =>
      because === 'own share' ? ownShareInUse(exportLimits.busyRetrySeconds) : new Problem('unavailable'),
  });

  /**
   * The ticket's team. Refuses the request unless it has the session of the team's owner, who must be the person that
   * got the ticket.
   */
  const teamOf = async (
    request: Request<{ ticket: string }>,
    response: Response,
    { tenantId, userId }: Ticket,
  ): Promise<Team> => {
    const visitor = visitorOf(platform, auth, {
      cookie: request.headers.cookie,
      userAgent: request.headers['user-agent'],
      address: addressOf(request),
      language: request.context.language,
      setCookies: (cookies) => response.append('Set-Cookie', cookies),
      report: () => {},
    });
    const signedIn = (await beyondTeams('caller', () => visitor.signedIn())) ?? fail('unauthorized');
    const membership = signedIn.teams.find((team) => team.tenantId === tenantId && team.userId === userId);
    if (membership?.role !== 'owner') return fail('not_found');
    if (membership.isBeingDeleted) fail('api_disabled');
    if (!membership.memberDetail) fail('privacy_restricted');
    const { requestId } = request.context;
    return teamFor(platform, membership, { requestId, address: addressOf(request) });
  };

  return async (request, response) => {
    const ticket = readTicket(platform, request.params.ticket) ?? fail('not_found');
    const team = await teamOf(request, response, ticket);
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="team-export-${utcDay(platform.clock.now())}.zip"`,
    };
    // Express also sends HEAD requests to this route. They read nothing, so the ticket can still be used for the
    // download.
    if (request.method === 'HEAD') {
      response.set(headers).end();
      return;
    }
    const leave = await slots.acquire(team.id);
    try {
      if (!(await useTicket(platform, ticket))) fail('not_found');
      response.set(headers);
      // A failure closes the connection, so that the browser does not take a part for the whole file.
      await forTeam(team.id, () => exportPages(team, response)).catch((error: unknown) =>
        log.warn({ request_id: request.context.requestId, err: error }, 'an export was not completed'),
      );
    } finally {
      leave();
    }
  };
};
