/**
 * What is written about the API is made from the routes themselves: `docs/api.md` and `docs/openapi.json`,
 * which the types of the web UI are made of. `npm run docs` updates them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { peopleByScope, whoMay } from '../../../api/openapi/who-may.ts';
import { type AnyRoute, isInternal } from '../../../api/route.ts';
import { httpStatusByCode } from '../../../contract/errors.ts';
import { servedRoutes } from '../../support/served-routes.ts';

/**
 * All kinds of people that `peopleByScope` tells apart for a session, but for members it is not shared with.
 */
const readers = Object.keys(peopleByScope.session).filter((kind) => kind !== 'other member');

/** What the page says once, and a method leaves out. */
const everyMember = 'all members';

/** Kinds of people who may use it; how they are told apart is the route's scope. */
function whoText(route: AnyRoute): string {
  const may = whoMay(route);
  const isForAll = may.length === Object.keys(peopleByScope[route.scope]).length;
  if (isForAll && ['session', 'agent', 'workspace'].includes(route.scope)) {
    return everyMember;
  }
  return may.join() === readers.join() ? 'its readers' : may.join(', ');
}

/** What the routes of a workspace begin with, which the page says once. */
const ofWorkspace = '/workspaces/{slug}';
const isOfWorkspace = ({ path }: AnyRoute) => path.startsWith(`${ofWorkspace}/`);

/** In the order of the first of each. */
function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  }
  return groups;
}

/** One row for each path: who may use its methods, those with the same people together. */
function rowsOf(some: readonly AnyRoute[]): string {
  const byPath = groupedBy(some, ({ path }) => path.replace(`${ofWorkspace}/`, ''));
  return [...byPath].map(([path, ofPath]) => `| \`${path}\` | ${methodsText(ofPath)} |\n`).join('');
}

const methodsText = (ofPath: readonly AnyRoute[]) =>
  [...groupedBy(ofPath, whoText)]
    .map(([who, theirs]) => methodsOf(theirs) + (who === everyMember ? '' : `: ${who}`))
    .join('; ');
const methodsOf = (some: readonly AnyRoute[]) => some.map(({ method }) => method.toUpperCase()).join(', ');

const tableHead = '| Path | Methods, and who may |\n| --- | --- |\n';

const routes = servedRoutes();

const signature = ({ method, path }: AnyRoute) => `\`${method.toUpperCase()} ${path}\``;
const unprefixed = routes.filter(({ alsoUnprefixed }) => alsoUnprefixed === true).map(signature);
const idempotent = routes.filter((route) => route.idempotent === true).map(signature);
const codesOf = (status: number) =>
  Object.entries(httpStatusByCode).flatMap(([code, of]) => (of === status ? [`\`${code}\``] : []));
const errorCodes = [...new Set(Object.values(httpStatusByCode))]
  .map((status) => `| ${status} | ${codesOf(status).join(', ')} |\n`)
  .join('');

const head = `# API

Every route that [\`api/routes.ts\`](../api/routes.ts) lists; [openapi.json](openapi.json) has what each does, queries,
bodies and answers. Routes are below \`/api\`, the web UI is below \`/app/\`. Also served without \`/api\`:
${unprefixed.join(',\n')}.

- [Sign in](sign-in.md) first and send the cookie.
- JSON in and out, with its \`Content-Type\`. A body has 1 MiB and 10,000 values at most. Unknown fields are refused,
  never dropped, and so is a field that is there twice (\`repeated_field\`).
- Lists page by \`cursor\` and \`limit\` (up to 200) and answer \`next_cursor\`. A page ends after 1 MiB, so with fewer
  rows.
- What does not exist and what belongs to a workspace of others is answered alike, with 404.
- These take an \`Idempotency-Key\` ([decision](decisions/0016-idempotency-keys.md)):
${idempotent.map((route) => `  ${route}`).join(',\n')}.
- What \`x-compressed\` marks in openapi.json is [sent compressed](decisions/0079-compressed-answers.md) to browsers.
- Artifacts are always sent as downloads, with \`nosniff\`.

## Errors

\`{ "error": { "code", "message", "fields"?: [{ "path", "code", "message" }], "uses"?, "request_id" } }\`.
429 and some 503 carry \`Retry-After\`; each refusal by a limit names it.

| Status | \`code\` |
| --- | --- |
${errorCodes}
## Routes

Who may use one is found by asking its own rule (\`access\`, [\`api/policies/\`](../api/policies)) about one person of each
kind; a method beside which nobody is named is for all members of the workspace. The admin here is neither owner nor
operator. A session's _readers_: ${readers.join(', ')}.
Some input is refused beyond that: only an admin opens private network destinations of an agent, and who may make or
revoke which grant, or deny which request, follows from [what it is about](grants.md#who-may-make-one).

${tableHead}`;

const workspaceHead = `
### Of a workspace

Below \`${ofWorkspace}/\`.

${tableHead}`;

const internalHead = `
## Routes of sidecars

For sidecars alone, below \`/internal/sessions/{session_id}\`.
`;

/** Each kind of sidecar with its routes. */
function internalRoutes(): string {
  const internal = routes
    .filter(({ scope }) => isInternal(scope))
    .toSorted((a, b) => a.path.localeCompare(b.path));
  return [...groupedBy(internal, whoText)]
    .map(([who, theirs]) => `\n- ${who}:\n${theirs.map(belowSession).join(',\n')}\n`)
    .join('');
}

const belowSession = ({ method, path }: AnyRoute) =>
  `  \`${method.toUpperCase()} ${path.replace(/^\/sessions\/\{session_id\}/, '')}\``;

/** Compares a generated file with what it should hold; writes it first when it is asked to. */
function expectCurrent(file: string, expected: string): void {
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(file, expected);
  }
  expect(readFileSync(file, 'utf8')).toBe(expected);
}

it('docs/api.md lists the routes that are served, and who may use each', () => {
  const listed = routes
    .filter(({ scope }) => !isInternal(scope))
    .toSorted((a, b) => a.path.localeCompare(b.path));
  const others = rowsOf(listed.filter((route) => !isOfWorkspace(route)));
  const text = head + others + workspaceHead + rowsOf(listed.filter(isOfWorkspace));
  expectCurrent('docs/api.md', text + internalHead + internalRoutes());
});

it('docs/openapi.json describes the routes that are served', () => {
  expectCurrent('docs/openapi.json', `${JSON.stringify(openApiDocument(routes), null, 2)}\n`);
});
