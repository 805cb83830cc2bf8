/**
 * The rules that keep the code base in shape (docs/architecture.md, CONTRIBUTING.md), each as
 * a sentence to fail with.
 */
import ts from 'typescript';
import { searchAttributes, workflowContracts } from '../../contract/workflows.ts';
import {
  allowedFolders,
  contractPackages,
  packageOwners,
  unrestricted,
  webPackages,
} from './allowed-imports.ts';
import { checkCommands } from './command-rules.ts';
import { importedModule, resolve } from './imported-module.ts';
import { checkTiming } from './timing-rules.ts';

export interface SourceText {
  /** From the project's root, with forward slashes. */
  path: string;
  text: string;
}

export interface Violation {
  path: string;
  line: number;
  rule: string;
}

/** Adds a violation at a node, or in the file as a whole. */
export type Add = (node: ts.Node | null, rule: string) => void;

const maxFileLines = 400;
const maxFunctionLines = 80;
const forbiddenNames = /^(utils?|helpers?|common|misc)(\.|$)/;
const kebabCase = /^[a-z0-9]+([.-][a-z0-9]+)*$/;
const migrationName = /^(\d{14}_[a-z]+_[a-z_]+|index)\.ts$/;

/** All violations of one file. */
export function check(source: SourceText): Violation[] {
  const tree = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true);
  const folder = folderOf(source.path);
  const violations: Violation[] = [];
  const add = (node: ts.Node | null, rule: string) => {
    const position = node === null ? 0 : node.getStart(tree);
    violations.push({
      path: source.path,
      line: tree.getLineAndCharacterOfPosition(position).line + 1,
      rule,
    });
  };
  checkNames(source.path, folder, (rule) => add(null, rule));
  const lines = source.text.split('\n').length;
  if (lines > maxFileLines) {
    add(null, `a file has at most ${maxFileLines} lines, this one has ${lines}`);
  }
  const visit = (node: ts.Node): void => {
    checkImport(node, source.path, folder, add);
    checkTypes(node, source.path, add);
    checkTypeName(node, folder, add);
    checkMarkup(node, add);
    checkEnvironment(node, folder, add);
    checkWorkflowNames(node, source.path, folder, add);
    checkRefusals(node, source.path, add);
    checkCommands(node, source.path, folder, add);
    checkActiveGrants(node, source.path, folder, add);
    checkCallRecords(node, source.path, add);
    checkGatedTools(node, source.path, folder, add);
    checkRows(node, folder, add);
    checkServerState(node, source.path, add);
    checkVariables(node, source.path, folder, add);
    checkTiming(node, folder, add);
    checkProperties(node, source.path, add);
    checkFunctionSize(node, tree, folder, add);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return violations;
}

/** The folder whose rules hold: a top-level one, or one in it that has rules of its own. */
function folderOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  const inner = `${first}/${second}`;
  return inner in allowedFolders ? inner : first;
}

function checkNames(path: string, folder: string, add: (rule: string) => void): void {
  if (!unrestricted.has(folder) && path.includes('/') && allowedFolders[folder] === undefined) {
    add(
      `the folder ${folder}/ has no place in the direction of imports; give it one in test/architecture/rules.ts`,
    );
  }
  const parts = path.split('/');
  for (const part of parts) {
    if (forbiddenNames.test(part)) {
      add(`"${part}" says nothing about what is inside; name it after what it does`);
    }
  }
  if (folder === 'migrations') {
    if (!migrationName.test(parts.at(-1) ?? '')) {
      add('a migration is named YYYYMMDDHHMMSS_verb_noun.ts');
    }
  } else if (!parts.every((part) => kebabCase.test(part))) {
    add('files and folders are named in kebab-case');
  }
}

/** What is passed in has one of three names (docs/glossary.md). */
function checkTypeName(node: ts.Node, folder: string, add: Add): void {
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  if (
    isType &&
    folder !== 'test' &&
    /.(Parts|Deps|Params|Circumstances|Surroundings)$/.test(node.name.text)
  ) {
    add(node, `${node.name.text}: what is passed in is named Dependencies, Settings or Options`);
  }
}

/** All but `progress`, which MCP names a member of its own. */
const workflowNames = new Set(
  workflowContracts
    .flatMap(({ type, signals, updates, queries }) => [
      type,
      ...Object.values({ ...signals, ...updates, ...queries }),
    ])
    .concat(Object.values(searchAttributes))
    .filter((name) => name !== 'progress'),
);
const workflowIdPrefixes = new Set(workflowContracts.map(({ id }) => id('')));
/** What the rules take from contract/. */
export const reservedNames = [...workflowNames, ...workflowIdPrefixes];

function checkWorkflowNames(node: ts.Node, path: string, folder: string, add: Add): void {
  if (folder === 'test' || folder === 'web' || path === 'contract/workflows.ts') {
    return;
  }
  const isName = ts.isStringLiteralLike(node) && workflowNames.has(node.text);
  const isId = ts.isTemplateHead(node) && workflowIdPrefixes.has(node.text);
  if (isName || isId) {
    add(node, `"${node.text}" is named in contract/workflows.ts and nowhere else`);
  }
}

/**
 * `api/policies` decides who may do what: a handler passes a policy's answer to `requireAllowed` and
 * writes no refusal itself.
 */
function checkRefusals(node: ts.Node, path: string, add: Add): void {
  const mayRefuse = !path.startsWith('api/') || /^api\/(errors\.ts|middleware\/)/.test(path);
  if (!mayRefuse && ts.isCallExpression(node) && node.expression.getText() === 'forbidden') {
    add(node, 'a refusal comes from a policy (api/policies), by requireAllowed');
  }
}

/** Which grants are active is written once, in the view `active_grants`. */
function checkActiveGrants(node: ts.Node, path: string, folder: string, add: Add): void {
  const mayAsk = ['migrations', 'test', 'bench'].includes(folder) || path === 'store/grants/states.ts';
  const isCondition =
    (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) &&
    /consumed_at is null/i.test(node.text);
  const isCall = ts.isCallExpression(node) && /\.whereNull\('(\w+\.)?consumed_at'\)$/.test(node.getText());
  if (!mayAsk && (isCondition || isCall)) {
    add(node, 'active grants are read from the view active_grants, or by store/grants/states.ts');
  }
}

/** Each tool call is recorded once: one file opens and closes the records. */
function checkCallRecords(node: ts.Node, path: string, add: Add): void {
  const mayRecord = !path.startsWith('sidecar/') || path === 'sidecar/server-link/ledger.ts';
  const isCall = !mayRecord && ts.isCallExpression(node);
  if (isCall && /\baudit\.(started|refusedBeyondLimit|decided|finished)$/.test(node.expression.getText())) {
    add(node, 'a tool call is recorded by sidecar/server-link/ledger.ts: begin, and end of the call');
  }
}

/**
 * Which tools are gated is read from rows, which the database writes; only the check of a call reads the
 * configuration, to fail closed.
 */
function checkGatedTools(node: ts.Node, path: string, folder: string, add: Add): void {
  const isSql = ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node);
  const mayRead = folder !== 'store' || path === 'store/grants/check-and-consume.ts';
  if (!mayRead && isSql && /(->>?\s*'|\$.*\.)tool_scopes/.test(node.text)) {
    add(node, 'gated tools are read from session_tools and mcp_server_tools');
  }
}

/**
 * What a query of the store returns is not claimed; `row-types.test.ts` finds the queries
 * that are typed by nothing.
 */
function checkRows(node: ts.Node, folder: string, add: Add): void {
  const claims = ts.isCallExpression(node) && node.typeArguments !== undefined;
  const casts = ts.isAsExpression(node) && /^\(?await\b/.test(node.expression.getText());
  if (folder === 'store' && (claims || casts)) {
    add(
      node,
      'rows are typed by store/tables.ts or read by store/read-rows.ts, not by a type argument or a cast',
    );
  }
}

/** In the UI one hook sends changes, and one component shows a query that loads or has failed. */
function checkServerState(node: ts.Node, path: string, add: Add): void {
  const called = path.startsWith('web/src/') && ts.isCallExpression(node) ? node.expression.getText() : '';
  const isPage = /^web\/src\/(pages|components)\//.test(path);
  const sends = called === 'useMutation' && path !== 'web/src/api/use-api-mutation.ts';
  if (sends || (isPage && called.endsWith('.invalidateQueries'))) {
    add(node, 'a page changes something by useApiMutation, which names what the change makes stale');
  }
  const [route] = called === 'api.POST' && ts.isCallExpression(node) ? node.arguments : [];
  const grants = route !== undefined && ts.isStringLiteral(route) && route.text.endsWith('}/grants');
  if (grants && path !== 'web/src/api/passkeys.ts') {
    add(node, 'a page creates a grant by useSendGrant, which asks for a passkey where one is needed');
  }
  const isFailure = ts.isJsxSelfClosingElement(node) && node.tagName.getText() === 'FailedState';
  const mayRetry =
    isFailure && node.attributes.properties.some((attribute) => attribute.name?.getText() === 'retry');
  if (mayRetry && path !== 'web/src/components/query-state.tsx') {
    add(node, 'a query that loads or has failed is shown by QueryState');
  }
}

/** The environments of `LaunchSecrets`, and the variables that only the platform sets. */
const launchVariables =
  /^(agentEnv|serverEnv|siblingEnv|PLATFORM_SESSION_ID|PLATFORM_CONFIG|PLATFORM_SIDECAR_SOCKET)$/;
const ownsVariables =
  /^(runtime\/(variables|workload)\.ts|activities\/secrets\/resolve-secrets\.ts|bin\/(scripted|claude|acp)-agent\.ts)$/;

/**
 * Which container gets which variables is one pure function: a second one could hand a
 * secret to the wrong container.
 */
function checkVariables(node: ts.Node, path: string, folder: string, add: Add): void {
  const mayLaunch =
    ['runtime', 'activities', 'bin', 'bin/start'].includes(folder) && !ownsVariables.test(path);
  if (
    mayLaunch &&
    (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) &&
    launchVariables.test(node.text)
  ) {
    add(node, 'which container gets which variables is decided in runtime/variables.ts and nowhere else');
  }
}

function checkImport(node: ts.Node, path: string, folder: string, add: Add): void {
  const imported = importedModule(node);
  if (imported === null) {
    return;
  }
  const { specifier, typeOnly } = imported;
  if (!specifier.startsWith('.')) {
    checkPackage(specifier, folder, (rule) => add(node, rule));
    return;
  }
  const target = folderOf(resolve(path, specifier));
  if (folder === 'activities' && resolve(path, specifier).startsWith('runtime/process/host/')) {
    add(node, 'what a session host does is its own; what others need of it is in lib/');
    return;
  }
  if (path.startsWith('api/policies/') && target === 'store' && !typeOnly) {
    add(node, 'a policy is pure: what it judges is read by its route, so it imports types only from store/');
    return;
  }
  const allowed = allowedFolders[folder];
  if (unrestricted.has(folder) || target === folder || allowed === undefined) {
    return;
  }
  if (allowed[target] === undefined) {
    const may = Object.keys(allowed).map((name) => `${name}/`);
    add(node, `${folder}/ may import from ${may.join(', ') || 'no other folder'}, not from ${target}/`);
  } else if (allowed[target] === 'type' && !typeOnly && !isClientOfWorkflows(specifier)) {
    add(node, `${folder}/ may import types only from ${target}/`);
  }
}

/** The entry points for all other folders: they contain no workflow code. */
function isClientOfWorkflows(specifier: string): boolean {
  return /\/workflows\/(schedules-)?client\.ts$/.test(specifier);
}

function checkPackage(specifier: string, folder: string, add: (rule: string) => void): void {
  if (folder === 'contract' && !contractPackages.test(specifier)) {
    add(`contract/ is a leaf: it imports zod and pure functions only, not ${specifier}`);
  }
  if (folder === 'web' && !webPackages.test(specifier)) {
    add(`web/ runs in a browser with the few packages that its budget allows, not with ${specifier}`);
  }
  if (/^lib\/(limits|timing)$/.test(folder) && !specifier.startsWith('node:')) {
    add(`${folder} is in small bundles, too: it imports nothing, also not ${specifier}`);
  }
  for (const [pattern, owners, rule] of packageOwners) {
    if (pattern.test(specifier) && !owners.includes(folder) && !unrestricted.has(folder)) {
      add(`${rule}; ${folder}/ may not import ${specifier}`);
    }
  }
}

/** Where the list of all routes erases the types of each route's schemas. */
const castAllowedIn = 'api/route.ts';

function checkTypes(node: ts.Node, path: string, add: Add): void {
  if (node.kind === ts.SyntaxKind.AnyKeyword) {
    add(node, 'no `any`: parse the value into a type at the edge');
  }
  if (ts.isAsExpression(node) && ts.isAsExpression(node.expression) && path !== castAllowedIn) {
    add(node, 'no cast through another type: the compiler is right');
  }
}

function checkMarkup(node: ts.Node, add: Add): void {
  if (
    ts.isIdentifier(node) &&
    /^(dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML)$/.test(node.text)
  ) {
    add(node, "text never becomes markup: it may be an agent's");
  }
}

function checkEnvironment(node: ts.Node, folder: string, add: Add): void {
  const reads =
    ts.isPropertyAccessExpression(node) &&
    node.name.text === 'env' &&
    node.expression.getText() === 'process';
  if (reads && !unrestricted.has(folder)) {
    add(node, 'only bin/ and scripts/ read the environment; take the value as an argument');
  }
}

/** One file decides how many values a property is tried with, and from which seed. */
function checkProperties(node: ts.Node, path: string, add: Add): void {
  const called = ts.isCallExpression(node) ? node.expression.getText() : '';
  if (
    /^fc\.(assert|check|sample|statistics|configureGlobal)$/.test(called) &&
    path !== 'test/support/property.ts'
  ) {
    add(node, 'a property is checked by test/support/property.ts, which also makes samples');
  }
}

function checkFunctionSize(node: ts.Node, tree: ts.SourceFile, folder: string, add: Add): void {
  const lines = functionLines(node, tree);
  // A test suite is one function, and so is a table's SQL.
  const measured = folder !== 'test' && folder !== 'migrations';
  if (lines !== null && lines > maxFunctionLines && measured) {
    add(node, `a function has at most ${maxFunctionLines} lines, this one has ${lines}`);
  }
}

/** How many lines a function takes from its first to its last; null for anything else. */
export function functionLines(node: ts.Node, tree: ts.SourceFile): number | null {
  if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) {
    return null;
  }
  const line = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  return line(node.getEnd()) - line(node.getStart(tree)) + 1;
}
