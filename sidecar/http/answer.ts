/** JSON answers of the sidecar's two small HTTP servers, with the platform's error body. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  type ErrorBody,
  type ErrorCode,
  type FieldProblem,
  httpStatusByCode,
} from '../../contract/errors.ts';

/** What a handler throws on purpose. */
export class HttpRefusal extends Error {
  override name = 'HttpRefusal';
  readonly code: ErrorCode;
  readonly fields: FieldProblem[] | undefined;

  constructor(code: ErrorCode, message: string, fields?: FieldProblem[]) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

/** An unexpected error reveals no details. */
export function sendRefusal(response: ServerResponse, error: unknown): void {
  const refusal =
    error instanceof HttpRefusal ? error : new HttpRefusal('internal_error', 'something went wrong');
  const { code, message, fields } = refusal;
  const body: ErrorBody = {
    error: { code, message, ...(fields ? { fields } : {}), request_id: randomUUID() },
  };
  if (!response.headersSent) {
    // What is left of the request is not worth reading.
    response.setHeader('connection', 'close');
  }
  sendJson(response, httpStatusByCode[code], body);
}
