/**
 * The API, typed by its OpenAPI document. Every call goes through `call`, which returns the data
 * or throws an ApiFailure:
 *
 *     const read = api.GET('/api/workspaces/{slug}/sessions', { params: { path: { slug } }, signal });
 *     const { sessions } = await call(read);
 */
import createClient from 'openapi-fetch';
import type { paths } from '../../../dist/api-types.d.ts';
import { reportAnswered, reportSlow, reportUnreachable } from './connection.ts';
import { failureOf, unreachable } from './failure.ts';
import { noteServerTime } from './server-time.ts';

/** After this long without an answer the page says so; the request continues. */
const slowMs = 4_000;

/**
 * `fetch` that reports the platform's health to the page. Rejects with an ApiFailure when there is no answer.
 */
export async function watchedFetch(request: Request | string, init?: RequestInit): Promise<Response> {
  const timer = setTimeout(reportSlow, slowMs);
  try {
    const response = await fetch(request, { ...init, cache: 'no-store', credentials: 'same-origin' });
    if (!isOfProxy(response)) {
      reportAnswered();
      noteServerTime(response.headers.get('Date'));
      return response;
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') {
      throw error;
    }
  } finally {
    clearTimeout(timer);
  }
  reportUnreachable();
  throw unreachable();
}

/**
 * A proxy that cannot reach the platform says so with a page of its own; the platform's refusals are JSON.
 */
const isOfProxy = ({ status, headers }: Response) =>
  status >= 502 && status <= 504 && !headers.get('Content-Type')?.includes('json');

export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: watchedFetch });

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of a call that succeeded. Throws an ApiFailure for every other. */
export async function call<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer;
  if (data === undefined || data === null) {
    throw failureOf(response, error);
  }
  return data;
}
