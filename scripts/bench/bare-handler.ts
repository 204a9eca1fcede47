// The simplest implementation of the measured routes: Express, pg, plain statements, a simple gate, the same answers as
// the service, and nothing else. It is the fixed reference that the service is compared with, so it changes only if a
// table or an answer does.

import express from 'express';
import { basePath } from '../../src/core/product.ts';
import { admit, createAssignment, getEvaluation, getMember, listMembers, listTrainings } from './bare-actions.ts';

const admitted = async (request: express.Request, response: express.Response) => {
  const caller = await admit(request.headers.authorization, request.ip);
  response.set(caller.headers);
  return caller;
};

express()
  .disable('x-powered-by')
  .disable('etag')
  .get('/readyz', (_request, response) => void response.json({}))
  .get(`${basePath}/users/:id`, async (request, response) => {
    const caller = await admitted(request, response);
    response.json(await getMember(caller, request.params.id));
  })
  .get(`${basePath}/users`, async (request, response) => {
    const caller = await admitted(request, response);
    response.json(await listMembers(caller, Number(request.query['limit'])));
  })
  .get(`${basePath}/trainings`, async (request, response) => {
    const caller = await admitted(request, response);
    response.json(await listTrainings(caller, Number(request.query['limit'])));
  })
  .get(`${basePath}/trainings/:id/evaluation`, async (request, response) => {
    const caller = await admitted(request, response);
    response.json(await getEvaluation(caller, request.params.id));
  })
  .post(`${basePath}/assignments`, express.json(), async (request, response) => {
    const caller = await admitted(request, response);
    const assignment = await createAssignment(caller, request.body);
    response.status(201).location(`${basePath}/assignments/${assignment.id}`).json(assignment);
  })
  .listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
