/** What `npm start` says to the person at the terminal. */
import { demoPeople, demoSlug } from './demo-content.ts';
import { messageOf } from './start-error.ts';
import type { StartedPlatform } from './start-platform.ts';

export const usage = `npm start

Starts the platform on this machine with a demo workspace: Postgres, a Temporal server, the API and a worker.
Ctrl-C stops it and ends the sessions that run; the data stays and is used again at the next start.

Environment:
  PORT              port of the API and the web UI (8080)
  TEMPORAL_UI_PORT  port of the Temporal UI (8233)
  DATA_DIR          where everything is kept (.data)
  DATABASE_URL      a Postgres to use in place of the embedded one
  TEMPORAL_ADDRESS  a Temporal server to use in place of the embedded one (TEMPORAL_NAMESPACE: default)

A second platform runs beside the first with other ports and another DATA_DIR.`;

/** Addresses, people, and what to try first. */
export function welcome({ url, temporalUiUrl, dataDirectory, demo }: StartedPlatform): string {
  const people = Object.values(demoPeople).map(({ email, name }) => `${email} (${name})`);
  const rows = [
    ['Web UI', `${url}/app/`],
    ['API', `${url}/api`],
    ...(temporalUiUrl === null ? [] : [['Temporal UI', temporalUiUrl]]),
    ['Data', dataDirectory],
    ['Workspace', demoSlug],
    ['People', people.join(', ')],
  ];
  const table = rows.map(([name = '', value]) => `  ${name.padEnd(12)} ${value}`).join('\n');
  return `\nReady.\n\n${table}\n\n${'requestId' in demo ? firstSteps(url, demo) : `  The demo session ${demo.sessionId} does not wait: ${demo.reason}`}\n`;
}

function firstSteps(url: string, demo: { sessionId: string; requestId: string }): string {
  const api = `${url}/api`;
  return `  Session ${demo.sessionId} of the agent "scribe" waits for an approval.
  Open ${url}/app/ and sign in as ${demoPeople.ada.name}. Or try it in another terminal; the README's walk-through goes on from here:

    api=${api}
    curl -sS -c cookies.txt "$api/auth/demo-sign-in" -H 'content-type: application/json' -d '{"email":"${demoPeople.ada.email}"}'
    curl -sS -b cookies.txt "$api/workspaces/${demoSlug}/permission-requests/${demo.requestId}"

  Ctrl-C stops everything.`;
}

/** An error that nobody foresaw: with its stack, since it is a defect to report. */
export function startError(error: unknown): string {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
  return `\nThe start failed: ${messageOf(error)}\n${stack}`;
}
