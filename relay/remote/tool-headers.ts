/**
 * `Mcp-Param-*`: arguments of tools that a server of 2026-07-28 wants to see in headers, as it says with
 * `x-mcp-header` in a tool's schema. A server refuses a call without them, and the agent, which speaks over
 * stdio, does not set them.
 */
import { quote } from '../../lib/oauth/errors.ts';
import { isObject, type Members } from './agent-message.ts';
import { RemoteError } from './remote-error.ts';

interface Declaration {
  name: string;
  path: readonly string[];
  isValid: boolean;
}

const headerToken = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
const permittedTypes = new Set<unknown>(['string', 'integer', 'boolean']);
const maxDepth = 32;
/** Of one connection. */
const maxTools = 10_000;

export class ToolHeaders {
  readonly #declared = new Map<string, readonly Declaration[]>();

  /** Takes the result of `tools/list`, also a page of it. */
  learn(result: unknown): void {
    const tools = isObject(result) && Array.isArray(result['tools']) ? result['tools'] : [];
    for (const tool of tools.filter(isObject)) {
      const name = tool['name'];
      const declarations = isObject(tool['inputSchema']) ? declarationsIn(tool['inputSchema'], []) : [];
      if (typeof name === 'string') {
        this.#declared.delete(name);
        if (declarations.length > 0 && this.#declared.size < maxTools) {
          this.#declared.set(name, declarations);
        }
      }
    }
  }

  /**
   * The headers of a call, by name; none for a tool that no list showed. Throws RemoteError for one
   * whose declarations break a rule of MCP, which a client must not call: another side would read
   * another header than this one.
   */
  headersFor(params: Members): Record<string, string> {
    const name = params['name'];
    const declarations = typeof name === 'string' ? (this.#declared.get(name) ?? []) : [];
    if (!declarations.every(({ isValid }) => isValid) || !isUnique(declarations)) {
      throw new RemoteError(
        'answer_refused',
        `The server asks for arguments of ${quote(String(name))} in headers that MCP does not permit (x-mcp-header), so it is not called`,
      );
    }
    const headers = declarations.flatMap((declaration) => {
      const value = textOf(valueAt(params['arguments'], declaration.path));
      return value === null ? [] : [[`mcp-param-${declaration.name}`, encodeFieldValue(value)] as const];
    });
    return Object.fromEntries(headers);
  }
}

function declarationsIn(schema: Members, path: readonly string[]): Declaration[] {
  const properties = isObject(schema['properties']) && path.length < maxDepth ? schema['properties'] : {};
  const inner = Object.entries(properties).flatMap(([key, child]) =>
    isObject(child) ? declarationsIn(child, [...path, key]) : [],
  );
  const name = schema['x-mcp-header'];
  if (name === undefined || path.length === 0) {
    return inner;
  }
  const isValid = typeof name === 'string' && headerToken.test(name) && permittedTypes.has(schema['type']);
  return [{ name: String(name), path, isValid }, ...inner];
}

const isUnique = (declarations: readonly Declaration[]): boolean =>
  new Set(declarations.map(({ name }) => name.toLowerCase())).size === declarations.length;

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  );
}

function textOf(value: unknown): string | null {
  const isText = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
  return isText ? String(value) : null;
}

/**
 * MCP 2026-07-28, "Value Encoding": as it is, or as base64 in marks when a header cannot have it, or
 * it has the marks itself.
 */
export function encodeFieldValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value);
  const isMarked = value.startsWith('=?base64?') && value.endsWith('?=');
  return isPlain && !isMarked ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
