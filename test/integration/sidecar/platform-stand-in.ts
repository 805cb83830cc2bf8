/**
 * A small HTTP server in place of the platform's internal routes: it keeps what is reported and answers by
 * the contract's schemas. The end-to-end tests run the sidecar against the real routes.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import { type LiveTextReport, liveTextReport } from '../../../contract/live-text.ts';
import { modelRequestInput, modelUsageReport } from '../../../contract/model-access.ts';
import { type OpenCallReport, openCallReport } from '../../../contract/open-calls.ts';
import {
  type ListedPlatformTool,
  type PlatformToolAnswer,
  type PlatformToolCall,
  platformToolCall,
} from '../../../contract/platform-tools.ts';
import { accessTokenReport } from '../../../contract/remote-server.ts';
import { type ProcessReport, processReport } from '../../../contract/session-process.ts';
import {
  type CheckAnswer,
  callReport,
  checkRequest,
  checksRequest,
  type EventReport,
  endReport,
  eventReport,
  type PermissionRequestAnswer,
  permissionRequestReport,
  type permissionRequestState,
  readyReport,
  refusedCallsReport,
} from '../../../contract/sidecar.ts';
import type { CallRecord, RefusedCallCount } from '../../../contract/tool-call.ts';
import { type ToolListReport, toolListReport } from '../../../contract/tool-definitions.ts';

type Ask<Schema extends z.ZodType> = z.infer<Schema>;

export interface PlatformStandIn {
  url: string;
  token: string;
  inputs: InputMessage[];
  controlUrl: string | null;
  checks: Ask<typeof checkRequest>[];
  calls: CallRecord[];
  /** Calls that were refused beyond a limit. */
  refusedCalls: RefusedCallCount[];
  openCalls: OpenCallReport[];
  events: EventReport[];
  /** Reports about a message that the agent still writes. */
  liveTexts: LiveTextReport[];
  requests: Ask<typeof permissionRequestReport>[];
  ends: Ask<typeof endReport>[];
  processes: ProcessReport[];
  toolLists: ToolListReport[];
  artifacts: { query: Record<string, string>; bytes: Buffer }[];
  /** The highest number of concurrent uploads. */
  mostUploads: number;
  /** The delay before an artifact that has arrived is answered. */
  artifactMs: number;
  tokenReports: Ask<typeof accessTokenReport>[];
  /** The tools that it runs. */
  tools: ListedPlatformTool[];
  toolCalls: PlatformToolCall[];
  /** Requests that were refused for their token. */
  unauthenticated: number;
  onCheck(request: Ask<typeof checkRequest>): CheckAnswer | Promise<CheckAnswer>;
  /** Null: the answer is lost, so that the sidecar asks again. */
  /** What it answers about every request. */
  requestState: Omit<z.infer<typeof permissionRequestState>, 'request_id'>;
  onRequest(
    report: Ask<typeof permissionRequestReport>,
  ): PermissionRequestAnswer | null | Promise<PermissionRequestAnswer | null>;
  /** The body of the answer; what it throws is a refusal. */
  onAccessToken(report: Ask<typeof accessTokenReport>): unknown;
  onToolCall(call: PlatformToolCall): PlatformToolAnswer | Promise<PlatformToolAnswer>;
  /** Requests to the language model, by their path; what it throws is a refusal. */
  modelRequests: { id: string; body: unknown }[];
  modelUsage: { id: string; body: unknown }[];
  onModelRequest(): unknown;
  /** While set, every route answers with this status. */
  failWith: number | null;
  close(): Promise<void>;
}

/** `host`: an address of this machine at which the session's sidecar reaches it. */
export async function startPlatformStandIn(sessionId: string, host = '127.0.0.1'): Promise<PlatformStandIn> {
  const server = createServer((request, response) => {
    answer(platform, sessionId, request).then(
      ({ status, body }) => {
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(status === 204 ? undefined : JSON.stringify(body));
      },
      (error: unknown) =>
        response
          .writeHead(422)
          .end(JSON.stringify({ error: { code: 'validation_failed', message: String(error) } })),
    );
  });
  const listenOn = host === '127.0.0.1' ? host : '0.0.0.0';
  await new Promise<void>((resolve) => server.listen(0, listenOn, resolve));
  const platform: PlatformStandIn = {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    token: `${sessionId}.${randomUUID()}`,
    inputs: [],
    controlUrl: null,
    checks: [],
    calls: [],
    refusedCalls: [],
    openCalls: [],
    events: [],
    liveTexts: [],
    requests: [],
    ends: [],
    processes: [],
    toolLists: [],
    artifacts: [],
    tokenReports: [],
    tools: [],
    toolCalls: [],
    mostUploads: 0,
    artifactMs: 0,
    unauthenticated: 0,
    onCheck: () => ({ decision: 'refused', code: 'permission_required', scope: 'files.write' }),
    onRequest: ({ request_id }) => ({ status: 'sent', request_id, expires_at: '2030-01-01T00:00:00Z' }),
    onAccessToken: () => ({ result: 'authorization_required', message: 'sign in' }),
    onToolCall: () => ({ status: 'ok', result: {} }),
    modelRequests: [],
    modelUsage: [],
    onModelRequest: () => ({ decision: 'allowed' }),
    requestState: { status: 'open', grant_id: null, reason: null },
    failWith: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return platform;
}

const uploading = new WeakMap<PlatformStandIn, number>();

async function answer(platform: PlatformStandIn, sessionId: string, request: IncomingMessage) {
  const isUpload = request.url?.includes('/artifacts?') === true;
  const change = isUpload ? 1 : 0;
  uploading.set(platform, (uploading.get(platform) ?? 0) + change);
  platform.mostUploads = Math.max(platform.mostUploads, uploading.get(platform) ?? 0);
  try {
    return await answerInTime(platform, sessionId, request);
  } finally {
    uploading.set(platform, (uploading.get(platform) ?? 0) - change);
  }
}

async function answerInTime(platform: PlatformStandIn, sessionId: string, request: IncomingMessage) {
  const bytes = Buffer.concat(await request.toArray());
  if (platform.failWith !== null) {
    return { status: platform.failWith, body: {} };
  }
  if (request.headers['x-internal-token'] !== platform.token) {
    platform.unauthenticated += 1;
    return { status: 401, body: { error: { code: 'unauthenticated', message: 'no', request_id: 'x' } } };
  }
  const url = new URL(request.url ?? '', platform.url);
  const route = `${request.method} ${url.pathname.replace(`/internal/sessions/${sessionId}/`, '')}`;
  if (route === 'POST artifacts') {
    await sleep(platform.artifactMs);
    platform.artifacts.push({ query: Object.fromEntries(url.searchParams), bytes });
    const artifact_id = url.searchParams.get('artifact_id');
    return { status: 200, body: { artifact_id, size_bytes: bytes.length, sha256: 'f'.repeat(64) } };
  }
  if (route.startsWith('GET permission-requests/')) {
    return { status: 200, body: { request_id: route.split('/')[1], ...platform.requestState } };
  }
  const body: unknown = bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : null;
  const [, id, isUsage] = /^PUT model-requests\/([^/]+)(\/usage)?$/.exec(route) ?? [];
  if (id !== undefined) {
    return takeModelRequest(platform, { id, isUsage: isUsage !== undefined, body });
  }
  const answered = await take(platform, route, body);
  return answered === null ? { status: 503, body: {} } : { status: 200, body: answered };
}

function takeModelRequest(
  platform: PlatformStandIn,
  { id, isUsage, body }: { id: string; isUsage: boolean; body: unknown },
) {
  if (isUsage) {
    platform.modelUsage.push({ id, body: modelUsageReport.parse(body) });
    return { status: 204, body: null };
  }
  platform.modelRequests.push({ id, body: modelRequestInput.parse(body) });
  return { status: 200, body: platform.onModelRequest() };
}

/** The body of the answer; null for none. */
async function take(platform: PlatformStandIn, route: string, body: unknown): Promise<unknown> {
  switch (route) {
    case 'POST ready':
      platform.controlUrl = readyReport.parse(body).control_url;
      return { inputs: platform.inputs };
    case 'POST tool-lists':
      platform.toolLists.push(toolListReport.parse(body));
      return { ok: true };
    case 'POST tool-calls/check': {
      const check = checkRequest.parse(body);
      platform.checks.push(check);
      return platform.onCheck(check);
    }
    case 'POST tool-calls/checks': {
      const { checks } = checksRequest.parse(body);
      platform.checks.push(...checks);
      const answers = checks.map(async (check) => ({
        call_id: check.call_id,
        answer: await platform.onCheck(check),
      }));
      return { answers: await Promise.all(answers) };
    }
    case 'POST tool-calls':
      platform.calls.push(...callReport.parse(body).calls);
      return { ok: true };
    case 'POST tool-calls/refused':
      platform.refusedCalls.push(...refusedCallsReport.parse(body).counts);
      return { ok: true };
    case 'POST tool-calls/open':
      platform.openCalls.push(openCallReport.parse(body));
      return { ok: true };
    case 'POST events':
      platform.events.push(eventReport.parse(body));
      return { ok: true };
    case 'PUT live-text':
      platform.liveTexts.push(liveTextReport.parse(body));
      return { ok: true };
    case 'POST permission-requests': {
      const report = permissionRequestReport.parse(body);
      platform.requests.push(report);
      return platform.onRequest(report);
    }
    case 'GET platform-tools':
      return { tools: platform.tools };
    case 'POST platform-tools/calls': {
      const call = platformToolCall.parse(body);
      platform.toolCalls.push(call);
      return platform.onToolCall(call);
    }
    case 'POST access-tokens': {
      const report = accessTokenReport.parse(body);
      platform.tokenReports.push(report);
      return platform.onAccessToken(report);
    }
    case 'POST processes':
      platform.processes.push(processReport.parse(body));
      return { ok: true };
    case 'POST end':
      platform.ends.push(endReport.parse(body));
      return { ok: true };
    default:
      throw new Error(`no such route: ${route}`);
  }
}
