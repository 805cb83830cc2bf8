/**
 * A catalog entry as the MCP registry describes servers (`server.json`), so that other clients can run it
 * (docs/catalog.md#servers-of-the-mcp-registry).
 */
import * as z from 'zod';
import type { ManifestEnvField, McpServer, Shape } from './catalog.ts';
import { isPinned, onlyPackage, readPackageRequest } from './package-request.ts';
import type { RemoteHeader } from './remote-server.ts';

const variable = z.strictObject({
  name: z.string(),
  description: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  default: z.string().optional(),
  choices: z.array(z.string()).optional(),
});
const remoteHeader = z.strictObject({
  name: z.string(),
  description: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  /** `{VARIABLE}` stands for the variable. */
  value: z.string(),
  variables: z.record(z.string(), variable.omit({ name: true })),
});
const serverPackage = z.strictObject({
  registryType: z.enum(['npm', 'pypi', 'oci']),
  identifier: z.string(),
  version: z.string().optional(),
  runtimeHint: z.string().optional(),
  transport: z.strictObject({ type: z.literal('stdio') }),
  packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string() })).optional(),
  environmentVariables: z.array(variable).optional(),
});
export const serverDocument = z.strictObject({
  $schema: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  packages: z.array(serverPackage).optional(),
  remotes: z
    .array(
      z.strictObject({
        type: z.literal('streamable-http'),
        url: z.string(),
        headers: z.array(remoteHeader).optional(),
      }),
    )
    .optional(),
  /** What the format has no place for. */
  _meta: z.record(z.string(), z.unknown()),
});
export type ServerDocument = z.infer<typeof serverDocument>;

const schemaUrl = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const maxDescription = 100;

/** Why a shape has no document; null when it has one. */
export function documentProblem(shape: Shape): string | null {
  return shape.type === 'command' && packageOf(shape) === null
    ? 'It runs a command that is not one package at an exact version, which server.json cannot describe.'
    : null;
}

/**
 * Throws for an entry with a `documentProblem`. `publicUrl` is that of the installation: its host, reversed,
 * is the namespace of the name.
 */
export function serverDocumentOf(
  entry: McpServer,
  { slug, publicUrl }: { slug: string; publicUrl: string | undefined },
): ServerDocument {
  const { name, shape, version, manifest, network, approvers, require_passkey } = entry;
  return {
    $schema: schemaUrl,
    name: `${namespaceOf(publicUrl)}/${name}`,
    description: `${name} of the workspace ${slug}`.slice(0, maxDescription),
    version: `${version}.0.0`,
    ...waysToRun(shape, manifest.env),
    _meta: {
      'io.modelcontextprotocol.registry/publisher-provided': {
        tool_scopes: manifest.tool_scopes,
        network,
        approvers,
        require_passkey,
      },
    },
  };
}

function waysToRun(
  shape: Shape,
  env: McpServer['manifest']['env'],
): Pick<ServerDocument, 'packages' | 'remotes'> {
  if (shape.type === 'remote') {
    const headers = (shape.headers ?? []).map((header) => headerOf(header, env));
    return {
      remotes: [{ type: 'streamable-http', url: shape.url, ...(headers.length === 0 ? {} : { headers }) }],
    };
  }
  const found =
    shape.type === 'image' ? { registryType: 'oci' as const, identifier: shape.image } : packageOf(shape);
  if (found === null) {
    throw new Error('this shape has no document');
  }
  const variables = Object.entries(env).map(([name, field]) => ({ name, ...inputOf(field) }));
  return {
    packages: [
      {
        ...found,
        transport: { type: 'stdio' },
        ...(variables.length === 0 ? {} : { environmentVariables: variables }),
      },
    ],
  };
}

function headerOf({ name, prefix, variable: ofEnv }: RemoteHeader, env: McpServer['manifest']['env']) {
  const field = env[ofEnv] ?? { kind: 'secret', label: ofEnv };
  const { description, isRequired, isSecret, ...rest } = inputOf(field);
  return {
    ...{ name, description, isRequired, isSecret },
    value: `${prefix}{${ofEnv}}`,
    variables: { [ofEnv]: { description, isRequired, isSecret, ...rest } },
  };
}

const inputOf = (field: ManifestEnvField) => ({
  description: field.description ?? field.label,
  isRequired: field.required ?? false,
  isSecret: field.kind === 'secret',
  ...(field.default === undefined ? {} : { default: field.default }),
  ...(field.enum === undefined ? {} : { choices: field.enum }),
});

type FoundPackage = Pick<
  z.infer<typeof serverPackage>,
  'registryType' | 'identifier' | 'version' | 'runtimeHint' | 'packageArguments'
>;

/** Null for a command that is not exactly one package, by its name alone or at an exact version. */
function packageOf({ command, args }: { command: string; args: readonly string[] }): FoundPackage | null {
  const request = readPackageRequest(command, args);
  const only = request === null ? null : onlyPackage(request);
  if (request === null || only === null || request.python !== null) {
    return null;
  }
  const { name: identifier, version } = only;
  if (version !== undefined && !isPinned(request)) {
    return null;
  }
  return {
    registryType: request.manager === 'npm' ? 'npm' : 'pypi',
    identifier,
    ...(version === undefined ? {} : { version }),
    runtimeHint: command,
    ...(request.args.length === 0
      ? {}
      : { packageArguments: request.args.map((value) => ({ type: 'positional' as const, value })) }),
  };
}

/** `agents.example.com` as `com.example.agents`; without a host that others know, `localhost`. */
function namespaceOf(publicUrl: string | undefined): string {
  const host = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  const isName = /[a-z]/i.test(host.split('.').at(-1) ?? '') && !host.includes(':');
  return isName ? host.split('.').toReversed().join('.') : 'localhost';
}
