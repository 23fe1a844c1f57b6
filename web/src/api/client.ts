// Calls of the HTTP API, typed by the server's own document (schema.d.ts is generated from /api/v1/openapi.json by `npm run types`).
// A call gives its answer or throws a Problem; whoever is asked too early (no session) or not at all (no server) is told to `data/`.
import createClient from 'openapi-fetch';
import { noticeReply, noticeSilence, noticeUnauthenticated } from '../data/connection';
import { Problem, problemOf } from './problem';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

async function reach(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    noticeSilence();
    throw new Problem('unreachable', 0, 'the server does not answer');
  }
  noticeReply();
  if (response.status === 401 && !request.url.endsWith('/sign-in')) noticeUnauthenticated();
  return response;
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: reach });

/** The value of a call, or its Problem thrown. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemOf(error, response.status);
  return data as T;
}
